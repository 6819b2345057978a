/** P7: the CPU time of the server's process for a frame that a spectator received, side by side. */
import type { Bar, Options, Row, Side } from "../compare/types.ts";
import { Driver } from "./driver.ts";

const NAMES: { readonly [side: string]: string } = {
  arcade: "Agent Arcade",
  naive: "naive ws",
  colyseus: "Colyseus",
  "socket.io": "socket.io",
  floor: "floor",
  idle: "idle",
};
const TICK_HZ = 20;

interface Load {
  readonly viewers: number;
  readonly sessions: number;
  readonly rounds: number;
  readonly roundMs: number;
  /** How long each side runs before its first round, until its code is compiled. */
  readonly warmUpMs: number;
}

function createSide(key: string, { viewers, sessions, roundMs, warmUpMs }: Load): Side {
  let driver: Driver | null = null;
  return {
    name: NAMES[key]!,
    start: async () => {
      driver = await Driver.start(key);
      await driver.open(sessions, TICK_HZ, viewers);
      await driver.measure(warmUpMs);
    },
    runRound: async () => {
      const { cpuMs, systemMs, ticks, missing, bytesPerFrame } = await driver!.measure(roundMs);
      const frames = ticks * viewers;
      return {
        value: (cpuMs * 1000) / frames,
        missing,
        more: { "us in the kernel": (systemMs * 1000) / frames, "bytes a frame": bytesPerFrame },
      };
    },
    stop: async () => driver?.stop(),
  };
}

function createFanOutRow(load: Load, [naive, colyseus, socketIo]: readonly [number, number, number]): Row {
  const [ours, ...peers] = ["arcade", "naive", "colyseus", "socket.io", "floor"].map((key) => createSide(key, load));
  const bars: readonly Bar[] = [
    { against: NAMES.naive!, share: naive },
    { against: NAMES.colyseus!, share: colyseus },
    { against: NAMES["socket.io"]!, share: socketIo },
  ];
  return {
    id: "P7",
    what: `${load.viewers} spectators of ${load.sessions} sessions, ${TICK_HZ} Hz`,
    figure: { name: "CPU for each delivered frame", unit: "us", better: "lower" },
    rounds: load.rounds,
    sides: [ours!, ...peers],
    idle: createSide("idle", load),
    bars,
  };
}

/** Few spectators of many sessions, where the game costs most, and many spectators of few sessions. */
export function createFanOutRows({ isQuick }: Options): readonly Row[] {
  const rest = isQuick ? { rounds: 3, roundMs: 500, warmUpMs: 500 } : { rounds: 9, roundMs: 1000, warmUpMs: 6000 };
  const [many, few] = isQuick ? [10, 4] : [100, 25];
  return [
    createFanOutRow({ viewers: 4, sessions: many, ...rest }, [0.75, 0.65, 0.58]),
    createFanOutRow({ viewers: 20, sessions: few, ...rest }, [0.65, 0.6, 0.45]),
  ];
}
