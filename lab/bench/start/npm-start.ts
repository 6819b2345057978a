/** `npm start` in a built tree with an empty data folder, until it reports that it is ready. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getEnvironment } from "../../../backend/config/environment.ts";
import { root } from "../../../scripts/start/build.ts";
import { readGroupCpuUs } from "../compare/cpu.ts";
import type { Row, Side } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";

/** Ends a command that does not end by itself. */
const COMMAND_MAX_MS = 180_000;
const IDLE = "ms of CPU a second when idle";
/** How long to wait after the start before idle CPU use is measured. */
const SETTLE_MS = 15_000;
const IDLE_MS = 10_000;
const GAMES = 2;
const CATALOG = "/api/games/catalog";

interface Service {
  readonly httpUrl: string;
  /** From the start of the command to its line of JSON. */
  readonly ms: number;
  /** The CPU time that its processes have used so far, in microseconds. */
  readCpuUs(): number;
  stop(): Promise<void>;
}

/** Runs in a separate process group, without demo agents, which play all the time. */
async function startService(): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), "arcade-bench-start-"));
  const startedMs = performance.now();
  const child = spawn("npm", ["run", "--silent", "start", "--", "--json"], {
    cwd: root,
    env: {
      ...getEnvironment(),
      ARCADE_DEMO_AGENTS: "off",
      ARCADE_DATA_DIR: dataDir,
      ARCADE_PORT: "0",
      ARCADE_RPC_PORT: "0",
      NO_COLOR: "1",
    },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const timer = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), COMMAND_MAX_MS);
  const closed = once(child, "close").then(() => clearTimeout(timer));
  let output = "";
  const line = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
      if (output.includes("\n")) resolve();
    });
  });
  await Promise.race([line, closed]);
  const ms = performance.now() - startedMs;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGTERM");
    await closed;
    await rm(dataDir, { recursive: true, force: true });
  };
  if (output.includes("\n")) {
    const { httpUrl } = JSON.parse(output) as Service;
    return { httpUrl, ms, readCpuUs: () => readGroupCpuUs(child.pid!), stop };
  }
  await stop();
  throw new Error("npm start ended before it was ready");
}

/** Milliseconds of CPU in a second, once the work of the start is over. */
async function measureIdle(readCpuUs: () => number): Promise<number> {
  await sleep(SETTLE_MS);
  const [cpuUs, startedMs] = [readCpuUs(), performance.now()];
  await sleep(IDLE_MS);
  return (readCpuUs() - cpuUs) / (performance.now() - startedMs);
}

/** The number of games in which a practice session can be started. */
async function countGames(httpUrl: string): Promise<number> {
  const { games } = (await (await fetch(httpUrl + CATALOG)).json()) as { readonly games?: readonly { slug: string }[] };
  const starts = (games ?? []).map(async ({ slug }) => {
    const response = await fetch(`${httpUrl}/api/games/${slug}/sessions/start`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ source: "browser_ws" }),
    });
    return response.ok;
  });
  return (await Promise.all(starts)).filter(Boolean).length;
}

const createSide = (name: string, start: () => Promise<Service>): Side => ({
  name,
  // Builds what is built on first use before the first round.
  start: async () => (await start()).stop(),
  runRound: async () => {
    const { httpUrl, ms, readCpuUs, stop } = await start();
    try {
      const idle = await measureIdle(readCpuUs);
      const games = await countGames(httpUrl);
      const missing = findMissing([{ what: "games that can be played", done: games, expected: GAMES }]);
      return { value: ms, missing, more: { [IDLE]: idle } };
    } finally {
      await stop();
    }
  },
});

/** Claims to be ready, and starts nothing. */
const startNothing = async (): Promise<Service> => {
  const httpUrl = "data:application/json,{}#";
  return { httpUrl, ms: 1, readCpuUs: () => 0, stop: async () => undefined };
};

export const createNpmStartRow = (rounds: number): Row => ({
  id: "P12",
  what: "npm start in a built tree",
  figure: { name: "until ready", unit: "ms", better: "lower" },
  rounds,
  sides: [createSide("Agent Arcade", startService)],
  idle: createSide("idle", startNothing),
  bars: [{ max: 2_000 }, { max: 15, of: IDLE }],
});
