/**
 * `npm run lab -- bench capacity`: one server process that holds 500 sessions at 20 Hz, each with its player and four
 * spectators on sockets of another process, and its database on disk.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, Options, Row, Side } from "./compare/types.ts";
import { Driver } from "./ws/driver.ts";

const SPECTATORS = 4;
const TICK_HZ = 20;
const RATE_ERROR = "% error of the tick rate";
const MEMORY = "MB of memory";

/** `key`: the server of ws/server.ts. */
function createSide(name: string, key: string, sessions: number, windowMs: number): Side {
  let folder = "";
  let driver: Driver | null = null;
  return {
    name,
    start: async () => {
      folder = await mkdtemp(join(tmpdir(), "arcade-bench-"));
      driver = await Driver.start(key, `sqlite:${join(folder, "arcade.sqlite")}`);
      await driver.open(sessions, TICK_HZ, SPECTATORS, { player: true });
    },
    runRound: async () => {
      const { missing, p99LateMs, rateError, rssMb, cpuMs, seconds } = await driver!.measure(windowMs);
      const cpuPercent = cpuMs / seconds / 10;
      return {
        value: p99LateMs,
        missing,
        more: { [RATE_ERROR]: Math.abs(rateError) * 100, [MEMORY]: rssMb, "% of a core": cpuPercent },
      };
    },
    stop: async () => {
      await driver?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function createRow({ isQuick }: Options): Row {
  const sessions = isQuick ? 20 : 500;
  const windowMs = isQuick ? 500 : 5000;
  return {
    id: "P8",
    what: `${sessions} sessions at ${TICK_HZ} Hz, a player and ${SPECTATORS} spectators each, database on disk`,
    figure: { name: "lateness of a tick, 99 of 100 at most", unit: "ms", better: "lower" },
    rounds: isQuick ? 2 : 5,
    sides: [createSide("Agent Arcade", "arcade", sessions, windowMs)],
    idle: createSide("idle", "idle", sessions, windowMs),
    bars: [{ max: 10 }],
  };
}

export const benchmark: Benchmark = {
  summary: "lateness, memory and CPU of one process with 500 sessions and 2,500 sockets",
  rows: (options) => [createRow(options)],
};
