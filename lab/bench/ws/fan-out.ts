/** P7: the CPU time of the server's process for a frame that a viewer received, side by side. */
import type { Bar, Options, Row, Side } from "../compare/types.ts";
import { Driver } from "./driver.ts";

const SIDES = {
  arcade: { server: "arcade", name: "Agent Arcade" },
  compact: { server: "arcade", name: "Agent Arcade, compact frames" },
  naive: { server: "naive", name: "naive ws" },
  floor: { server: "floor", name: "floor" },
  idle: { server: "idle", name: "idle" },
} as const;
type SideKey = keyof typeof SIDES;
const TICK_HZ = 20;
const DELAY = "ms of event-loop delay (p99)";

interface Load {
  readonly viewers: number;
  readonly sessions: number;
  readonly rounds: number;
  readonly roundMs: number;
  /** How long each side runs before its first round, until its code is compiled. */
  readonly warmUpMs: number;
}

function createSide(key: SideKey, { viewers, sessions, roundMs, warmUpMs }: Load): Side {
  let driver: Driver | null = null;
  return {
    name: SIDES[key].name,
    start: async () => {
      driver = await Driver.start(SIDES[key].server);
      await driver.open(sessions, TICK_HZ, viewers, key === "compact" ? { compact: true } : {});
      await driver.measure(warmUpMs);
    },
    runRound: async () => {
      const { cpuMs, systemMs, ticks, missing, bytesPerFrame, p99DelayMs } = await driver!.measure(roundMs);
      const frames = ticks * viewers;
      return {
        value: (cpuMs * 1000) / frames,
        missing,
        more: {
          "us in the kernel": (systemMs * 1000) / frames,
          "bytes a frame": bytesPerFrame,
          [DELAY]: p99DelayMs,
        },
      };
    },
    stop: async () => driver?.stop(),
  };
}

function createRow(load: Load, [ours, ...peers]: readonly [SideKey, ...SideKey[]], bars: readonly Bar[]): Row {
  const encoding = ours === "compact" ? ", compact frames" : "";
  return {
    id: "P7",
    what: `${load.viewers} viewers of ${load.sessions} sessions, ${TICK_HZ} Hz${encoding}`,
    figure: { name: "CPU for each delivered frame", unit: "us", better: "lower" },
    rounds: load.rounds,
    sides: [createSide(ours, load), ...peers.map((key) => createSide(key, load))],
    idle: createSide("idle", load),
    bars,
  };
}

/** From one viewer for each of many sessions, when the game costs most, to many viewers of few sessions. */
export function createFanOutRows({ isQuick }: Options): readonly Row[] {
  const rest = isQuick ? { rounds: 3, roundMs: 500, warmUpMs: 500 } : { rounds: 9, roundMs: 1000, warmUpMs: 6000 };
  const [one, four, twenty] = isQuick ? [20, 10, 4] : [300, 100, 25];
  const against = (key: SideKey, share: number): Bar => ({ against: SIDES[key].name, share });
  return [
    createRow({ viewers: 1, sessions: one, ...rest }, ["arcade", "naive"], [against("naive", 1.1)]),
    createRow({ viewers: 4, sessions: four, ...rest }, ["arcade", "naive", "floor"], [against("naive", 0.8)]),
    createRow({ viewers: 4, sessions: four, ...rest }, ["compact", "arcade"], [against("arcade", 0.7)]),
    createRow(
      { viewers: 20, sessions: twenty, ...rest },
      ["arcade", "naive", "floor"],
      [against("naive", 0.8), against("floor", 1.15), { max: 6, of: DELAY }],
    ),
  ];
}
