/**
 * `npm run lab -- bench plane`: a viewer on another node than its session, beside one on the same node (P15): CPU of all
 * processes together, NATS included, and the time of a frame's way; and what the node of one session sends while its
 * viewers are spread over four others. Needs Debian's nats-server.
 */
import type { Benchmark, Options, Row } from "./compare/types.ts";
import { type PlaneLoad, PlaneSide } from "./plane/plane-side.ts";
import { type TreeLoad, TreeSide } from "./plane/tree-side.ts";

const EDGES = 4;

function createRow(load: PlaneLoad, rounds: number): Row {
  const local = "on the same node";
  return {
    id: "P15",
    what: `${load.viewers} viewers of ${load.sessions} sessions, ${load.tickHz} Hz`,
    figure: { name: "CPU of all processes for each delivered frame", unit: "us", better: "lower" },
    rounds,
    sides: [new PlaneSide("on another node", load, { isRemote: true }), new PlaneSide(local, load)],
    idle: new PlaneSide("without viewers", load, { isIdle: true }),
    bars: [
      { against: local, share: 1.5 },
      { max: 5, of: "ms on the way (p99)" },
    ],
  };
}

/** The owner sends a frame once to NATS, however many viewers there are. */
function createTreeRow(load: TreeLoad, rounds: number): Row {
  const few = "one viewer on each node";
  return {
    id: "P15",
    what: `one session at ${load.tickHz} Hz, ${load.edges * load.viewers} viewers over ${load.edges} nodes`,
    figure: { name: "bytes that the session's node sends for each tick", unit: "bytes", better: "lower" },
    rounds,
    sides: [new TreeSide("all viewers", load), new TreeSide(few, { ...load, viewers: 1 })],
    idle: new TreeSide("without viewers", load, { isIdle: true }),
    bars: [{ against: few, share: 1.1 }],
  };
}

export const benchmark: Benchmark = {
  summary: "CPU and way of a frame to a viewer on another node, beside one on the same node",
  *rows({ isQuick }: Options) {
    const [rounds, roundMs, warmUpMs] = isQuick ? [3, 1000, 1000] : [7, 2000, 6000];
    yield createRow({ viewers: 20, sessions: isQuick ? 5 : 25, tickHz: 20, roundMs, warmUpMs }, rounds);
    const viewers = isQuick ? 25 : 1_250;
    yield createTreeRow({ edges: EDGES, viewers, tickHz: 10, roundMs: 2 * roundMs, warmUpMs }, rounds);
  },
};
