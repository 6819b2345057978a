/** The commands of the README: `npm start` here and in a fresh clone where nothing was built, and an agent's whole life. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { getEnvironment } from "../../../backend/config/environment.ts";
import { root } from "../../../scripts/start/build.ts";
import type { Round, Row, Side } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";

const run = promisify(execFile);

/** Ends a command that does not end by itself. */
const COMMAND_MAX_MS = 180_000;
const GAMES = 2;
const CATALOG = "/api/games/catalog";

/** Runs an npm script in a process group of its own. It gets no setting of tests, as in the README. */
function spawnNpm(folder: string, dataDir: string, args: readonly string[]): ChildProcess {
  const { ARCADE_HOUSE_AGENTS: _, ...inherited } = getEnvironment();
  const child = spawn("npm", ["run", "--silent", ...args], {
    cwd: folder,
    env: { ...inherited, ARCADE_DATA_DIR: dataDir, ARCADE_PORT: "0", ARCADE_RPC_PORT: "0", NO_COLOR: "1" },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const timer = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), COMMAND_MAX_MS);
  child.once("close", () => clearTimeout(timer));
  return child;
}

interface Service {
  readonly httpUrl: string;
  readonly dataDir: string;
  /** From the start of the command to its line of JSON. */
  readonly ms: number;
  stop(): Promise<void>;
}

/** `npm start -- --json` with an empty data folder, until it says that it is ready. */
async function startService(folder: string): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), "arcade-bench-start-"));
  const startedMs = performance.now();
  const child = spawnNpm(folder, dataDir, ["start", "--", "--json"]);
  const closed = once(child, "close");
  let output = "";
  const line = new Promise<void>((resolve) => {
    child.stdout!.on("data", (chunk) => {
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
  if (output.includes("\n")) return { httpUrl: (JSON.parse(output) as Service).httpUrl, dataDir, ms, stop };
  await stop();
  throw new Error("npm start ended before it was ready");
}

/** How many games a service has and lets play. */
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

async function measureStart(start: () => Promise<Service>): Promise<Round> {
  const { httpUrl, ms, stop } = await start();
  try {
    const games = await countGames(httpUrl);
    return { value: ms, missing: findMissing([{ what: "games that can be played", done: games, expected: GAMES }]) };
  } finally {
    await stop();
  }
}

/**
 * A clone of what is committed here, with links to the installed packages and without what they have cached. It lies in
 * the compiler's folder: links need the same disk, and Node runs no TypeScript below `node_modules`.
 */
async function cloneTree(): Promise<string> {
  const packages = join(root, "node_modules");
  const cache = join(root, "cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "clone-"));
  await run("git", ["clone", "--quiet", root, folder]);
  await mkdir(join(folder, "node_modules"));
  const entries = (await readdir(packages)).filter((name) => name !== ".cache").map((name) => join(packages, name));
  await run("cp", ["-al", ...entries, join(folder, "node_modules")]);
  return folder;
}

async function measureClone(): Promise<Round> {
  const folder = await cloneTree();
  try {
    return await measureStart(() => startService(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints that it is ready, and starts nothing. */
const startNothing = async (): Promise<Service> => {
  const httpUrl = "data:application/json,{}#";
  return { httpUrl, dataDir: "", ms: 1, stop: async () => undefined };
};

interface Life {
  readonly games: readonly object[];
  readonly payout: { readonly paid?: boolean } | null;
}

async function measureLife(live: (service: Service) => Promise<Life>): Promise<Round> {
  const service = await startService(root);
  try {
    const startedMs = performance.now();
    const { games, payout } = await live(service);
    const value = (performance.now() - startedMs) / 1000;
    const missing = findMissing([
      { what: "games played to their end", done: games.length, expected: GAMES },
      { what: "payouts", done: payout?.paid === true ? 1 : 0, expected: 1 },
    ]);
    return { value, missing };
  } finally {
    await service.stop();
  }
}

/** `npm run agent` on both games with the quick bot. */
async function liveWholeLife({ httpUrl, dataDir }: Service): Promise<Life> {
  const args = ["agent", "--", "--url", httpUrl, "--game", "both", "--bot", "quick", "--json"];
  const child = spawnNpm(root, dataDir, args);
  let output = "";
  child.stdout!.on("data", (chunk) => {
    output += String(chunk);
  });
  await once(child, "close");
  return (JSON.parse(output) as { readonly agents: readonly [Life] }).agents[0];
}

const toSide = (name: string, runRound: () => Promise<Round>, start?: () => Promise<void>): Side => ({
  name,
  runRound,
  ...(start !== undefined && { start }),
});

/** What is built on first use is built before the first round. */
const buildTree = async (): Promise<void> => (await startService(root)).stop();

export function createCommandRows(rounds: number): readonly Row[] {
  const untilReady = { name: "until ready", unit: "ms", better: "lower" } as const;
  const idle = toSide("idle", () => measureStart(startNothing));
  return [
    {
      id: "P12",
      what: "npm start in a built tree",
      figure: untilReady,
      rounds,
      idle,
      sides: [toSide("Agent Arcade", () => measureStart(() => startService(root)), buildTree)],
      bars: [{ max: 3_000 }],
    },
    {
      id: "P12",
      what: "npm start in a fresh clone, packages installed, nothing compiled",
      figure: untilReady,
      rounds,
      idle,
      sides: [toSide("Agent Arcade", measureClone)],
      bars: [{ max: 10_000 }],
    },
    {
      id: "P12",
      what: "npm run agent, from the first wallet to the payout on both games, quick bot",
      rounds,
      figure: { name: "time", unit: "s", better: "lower" },
      sides: [toSide("Agent Arcade", () => measureLife(liveWholeLife))],
      idle: toSide("idle", () => measureLife(async () => ({ games: [], payout: null }))),
      bars: [{ max: 90 }],
    },
  ];
}
