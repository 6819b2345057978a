/**
 * `npm run lab -- bench start` (P12): `npm start`; `serve` after `kill -9`, with 20 open sessions and a million
 * stored ones, until `/readyz` answers 200 and all open sessions wait for their players.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { type AnvilChain, startAnvilChain } from "../../test/helpers/anvil-stack.ts";
import { startBackend } from "../drills/support/process.ts";
import { readProcessCpuUs } from "./compare/cpu.ts";
import type { Benchmark, Round, Row, Side } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";
import { fillStore, SLUG } from "./growth/stored-sessions.ts";
import { createNpmStartRow } from "./start/npm-start.ts";
import { addOpenSessions } from "./start/open-sessions.ts";

const SIZES = {
  full: { rounds: 3, starts: 5, stored: 1_000_000, open: 20, ticks: 2_400 },
  quick: { rounds: 1, starts: 2, stored: 1_000, open: 3, ticks: 600 },
};
type Size = (typeof SIZES)["full"];
const POLL_MS = 5;
const READY_MAX_MS = 60_000;

/** Throws if the service does not get ready. */
async function waitUntilReady(httpUrl: string): Promise<void> {
  const deadlineMs = performance.now() + READY_MAX_MS;
  while (performance.now() < deadlineMs) {
    const response = await fetch(`${httpUrl}/readyz`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await sleep(POLL_MS);
  }
  throw new Error("not ready");
}

/** The sessions that the service lists as live. */
async function countLive(httpUrl: string): Promise<number> {
  const response = await fetch(`${httpUrl}/api/games/${SLUG}/sessions/live?limit=100`);
  const { items } = (await response.json()) as { readonly items?: readonly unknown[] };
  return items?.length ?? 0;
}

function countStored(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare("select count(*) from sessions where phase = 'ended'").pluck().get() as number;
  } finally {
    database.close();
  }
}

interface Started {
  readonly httpUrl: string;
  readonly processId: number;
  kill(): Promise<void>;
}

async function measureStart(start: () => Promise<Started>) {
  const startedMs = performance.now();
  const { httpUrl, processId, kill } = await start();
  try {
    await waitUntilReady(httpUrl);
    const ms = performance.now() - startedMs;
    return { ms, cpuMs: readProcessCpuUs(processId) / 1000, live: await countLive(httpUrl) };
  } finally {
    await kill();
  }
}

const sortNumbers = (values: readonly number[]): readonly number[] => [...values].sort((one, other) => one - other);

function createSide(name: string, start: () => Promise<Started>, file: string, size: Size): Side {
  return {
    name,
    async runRound(): Promise<Round> {
      const runs: Awaited<ReturnType<typeof measureStart>>[] = [];
      for (let run = 0; run < size.starts; run++) runs.push(await measureStart(start));
      const sorted = sortNumbers(runs.map(({ ms }) => ms));
      const cpuMs = sortNumbers(runs.map((run) => run.cpuMs));
      const missing = findMissing([
        { what: "open sessions after a start", done: Math.min(...runs.map(({ live }) => live)), expected: size.open },
        { what: "stored sessions", done: countStored(file), expected: size.stored },
      ]);
      const more = {
        "ms (fastest)": sorted[0]!,
        "ms (median)": sorted[sorted.length >> 1]!,
        "ms of CPU (median)": cpuMs[cpuMs.length >> 1]!,
      };
      return { value: sorted[Math.ceil(sorted.length * 0.95) - 1]!, missing, more };
    },
  };
}

async function startServe(chain: AnvilChain): Promise<Started> {
  const { dataDir, rpcUrl } = chain;
  const { httpUrl, processId, kill, exited } = await startBackend({
    dataDir,
    rpcUrl,
    env: { ARCADE_DEPLOYMENT: join(dataDir, "deployment.json") },
  });
  return {
    httpUrl,
    processId,
    kill: async () => {
      kill("SIGKILL");
      await exited;
    },
  };
}

/** Claims to be ready, and has nothing. */
async function startIdle(): Promise<Started> {
  const server = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    httpUrl: `http://127.0.0.1:${port}`,
    processId: process.pid,
    kill: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const benchmark: Benchmark = {
  summary: "starts of the service (P12)",
  async *rows({ isQuick }) {
    const size = isQuick ? SIZES.quick : SIZES.full;
    yield createNpmStartRow(size.rounds);
    const chain = await startAnvilChain();
    const file = join(chain.dataDir, "arcade.db");
    try {
      await fillStore(file, size.stored);
      await addOpenSessions(file, size.open, size.ticks);
      const row: Row = {
        id: "P12",
        what: `serve after kill -9, ${size.open} open sessions of ${size.ticks / 20 / 60} minutes, ${size.stored} stored ones`,
        figure: { name: `until ready, 95 of 100 of ${size.starts} starts`, unit: "ms", better: "lower" },
        rounds: size.rounds,
        sides: [createSide("Agent Arcade", () => startServe(chain), file, size)],
        idle: createSide("idle", startIdle, file, size),
        bars: [{ max: 3_000 }],
      };
      yield row;
    } finally {
      await chain.close();
    }
  },
};
