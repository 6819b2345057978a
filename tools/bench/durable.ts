/**
 * `npm run bench -- durable`: durable writes through HTTP (P5). Both sides wait for the disk before they answer
 * (SQLite with WAL and `synchronous = FULL`); ours lets the writes of one moment share that wait.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, Side as ComparedSide, Row } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";
import { sendAll } from "./endpoint/load.ts";
import { countSignings } from "./endpoint/seed.ts";
import { Side } from "./endpoint/side.ts";

const CONNECTIONS = 50;
const AUTOCOMMIT = "a commit for each statement";

/** `requests`: in a round. A round is long enough for hundreds of waits for the disk. */
function createSide(name: string, script: string, requests: number): ComparedSide {
  let folder = "";
  let side: Side | null = null;
  let next = 0;
  const databaseFile = (): string => join(folder, "bench.sqlite");
  const createRequests = (count: number) =>
    Array.from({ length: count }, () => ({ path: `/write/${next++}`, headers: {}, body: {} }));
  return {
    name,
    start: async () => {
      folder = await mkdtemp(join(tmpdir(), "arcade-bench-"));
      side = await Side.start(`durable/${script}`, { databaseFile: databaseFile() });
      await sendAll(side.started.url, createRequests(requests), CONNECTIONS);
      side.freeze();
    },
    runRound: async () => {
      const running = side!;
      running.resume();
      const rowsBefore = countSignings(databaseFile());
      const [cpuBefore, startedMs] = [(await running.read()).cpuUs, performance.now()];
      const answers = await sendAll(running.started.url, createRequests(requests), CONNECTIONS);
      const seconds = (performance.now() - startedMs) / 1000;
      const cpuUs = (await running.read()).cpuUs - cpuBefore;
      const rows = countSignings(databaseFile()) - rowsBefore;
      running.freeze();
      const missing = findMissing([
        { what: "answers", done: answers.filter(({ status }) => status === 200).length, expected: requests },
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
    const [rounds, requests] = isQuick ? [2, 200] : [7, 1_000];
    return [
      {
        id: "P5",
        what: `one row for each request at ${CONNECTIONS} connections`,
        figure: { name: "answers after their commit", unit: "a second", better: "higher" },
        rounds,
        sides: [
          createSide("Agent Arcade: one commit for the writes of a moment", "grouped", requests),
          createSide(AUTOCOMMIT, "autocommit", requests),
        ],
        planted: createSide("answers without rows", "forgetful", requests),
        bars: [{ against: AUTOCOMMIT, times: 7 }],
      },
    ];
  },
};
