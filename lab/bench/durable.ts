/**
 * `npm run lab -- bench durable`: durable writes through HTTP (P5). Both sides wait for the disk before they answer
 * (SQLite with WAL and `synchronous = FULL`); in ours, simultaneous writes share that wait.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, Row, Side } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";
import type { DurableOptions } from "./durable/server.ts";
import { countSignings } from "./endpoint/seed.ts";
import { Load } from "./http/load.ts";
import { ServerProcess } from "./server/process.ts";

const CONNECTIONS = 50;
const AUTOCOMMIT = "a commit for each statement";

const createRequest = (n: number): Buffer =>
  Buffer.from(`POST /write/${n} HTTP/1.1\r\nHost: bench\r\nContent-Length: 2\r\n\r\n{}`);

/** `requests`: per round. A round is long enough for hundreds of waits for the disk. */
function createSide(name: string, mode: DurableOptions["mode"], requests: number): Side {
  let folder = "";
  let side: ServerProcess | null = null;
  let next = 0;
  const databaseFile = (): string => join(folder, "bench.sqlite");
  /** Returns how many answers were right. */
  const sendRequests = async (load: Load): Promise<number> => {
    const from = next;
    next += requests;
    let stored = 0;
    await load.send(
      requests,
      (n) => createRequest(from + n),
      (_, { status }) => {
        if (status === 200) stored += 1;
      },
    );
    return stored;
  };
  const openLoad = (): Promise<Load> => Load.open(side!.url, CONNECTIONS);
  return {
    name,
    start: async () => {
      folder = await mkdtemp(join(tmpdir(), "arcade-bench-"));
      side = await ServerProcess.start("durable/server", { databaseFile: databaseFile(), mode });
      const load = await openLoad();
      await sendRequests(load);
      load.close();
      side.freeze();
    },
    runRound: async () => {
      const running = side!;
      running.resume();
      const load = await openLoad();
      const rowsBefore = countSignings(databaseFile());
      const cpuBefore = await running.readCpuUs();
      const startedMs = performance.now();
      const stored = await sendRequests(load);
      const seconds = (performance.now() - startedMs) / 1000;
      const cpuUs = (await running.readCpuUs()) - cpuBefore;
      const rows = countSignings(databaseFile()) - rowsBefore;
      load.close();
      running.freeze();
      const missing = findMissing([
        { what: "answers", done: stored, expected: requests },
        { what: "durable rows", done: rows, expected: requests },
      ]);
      return { value: requests / seconds, missing, more: { "us of CPU for each": cpuUs / requests } };
    },
    stop: async () => {
      await side?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const benchmark: Benchmark = {
  summary: "durable writes through HTTP (P5)",
  rows({ isQuick }): readonly Row[] {
    const [rounds, grouped, autocommit] = isQuick ? [2, 200, 200] : [7, 3_000, 500];
    return [
      {
        id: "P5",
        what: `one row for each request at ${CONNECTIONS} connections`,
        figure: { name: "answers after their commit", unit: "a second", better: "higher" },
        rounds,
        sides: [
          createSide("Agent Arcade: one commit for the writes of a moment", "grouped", grouped),
          createSide(AUTOCOMMIT, "autocommit", autocommit),
        ],
        idle: createSide("answers without rows", "forgetful", grouped),
        bars: [{ against: AUTOCOMMIT, times: 7 }],
      },
    ];
  },
};
