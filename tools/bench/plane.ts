/**
 * `npm run bench -- plane`: a viewer on another node than its session, beside one on the same node (P15): CPU of all
 * processes together, NATS included, and the time of a frame's way. Needs Debian's nats-server.
 */
import type { Benchmark, Options, Row } from "./compare/types.ts";
import { type PlaneLoad, PlaneSide } from "./plane/plane-side.ts";

function createRow(load: PlaneLoad, rounds: number): Row {
  const local = "on the same node";
  return {
    ...{ id: "P15", what: `${load.viewers} viewers of ${load.sessions} sessions, ${load.tickHz} Hz` },
    figure: { name: "CPU of all processes for each delivered frame", unit: "us", better: "lower" },
    rounds,
    sides: [new PlaneSide("on another node", load, { isRemote: true }), new PlaneSide(local, load)],
    planted: new PlaneSide("without viewers", load, { isIdle: true }),
    bars: [
      { against: local, share: 1.5 },
      { max: 5, of: "ms on the way (p99)" },
    ],
  };
}

export const benchmark: Benchmark = {
  summary: "CPU and way of a frame to a viewer on another node, beside one on the same node",
  *rows({ isQuick }: Options) {
    const [rounds, roundMs, warmUpMs] = isQuick ? [3, 1000, 1000] : [7, 2000, 6000];
    yield createRow({ viewers: 20, sessions: isQuick ? 5 : 25, tickHz: 20, roundMs, warmUpMs }, rounds);
  },
};
