/** A database of an older version with many sessions, until it is migrated. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { toBoardKey } from "../../../domain/leaderboard.ts";
import type { Round, Row, Side } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";
import { BASE_TIME_MS, fillOldStore, fillStore, SLUG } from "../growth/stored-sessions.ts";

const MIGRATION_MAX_MS = 10_000;

interface Migrated {
  /** Sessions that the boards count afterwards. */
  readonly counted: number;
  /** Sessions that the last report of progress named. */
  readonly reported: number;
  readonly reports: number;
}

async function migrateFile(file: string): Promise<Migrated> {
  const reported: number[] = [];
  const store = await openStore({
    databaseUrl: `sqlite:${file}`,
    onMigration: ({ sessions }) => {
      if (sessions !== undefined) reported.push(sessions);
    },
  });
  const { sessions: counted } = await store.standings.getTotals(toBoardKey(SLUG, "all", BASE_TIME_MS));
  await store.close();
  return { counted, reported: reported.at(-1) ?? 0, reports: reported.length };
}

/** `fill` makes the database that is migrated. */
function createSide(name: string, sessions: number, fill: (file: string) => Promise<void>): Side {
  return {
    name,
    async runRound(): Promise<Round> {
      const folder = await mkdtemp(join(tmpdir(), "arcade-bench-migration-"));
      try {
        const file = join(folder, "arcade.db");
        await fill(file);
        const startedMs = performance.now();
        const cpu = process.cpuUsage();
        const { counted, reported, reports } = await migrateFile(file);
        const value = performance.now() - startedMs;
        const { user, system } = process.cpuUsage(cpu);
        const missing = findMissing([
          { what: "sessions on the boards", done: counted, expected: sessions },
          { what: "sessions in the reports of progress", done: reported, expected: sessions },
        ]);
        return { value, missing, more: { "ms of CPU": (user + system) / 1000, "reports of progress": reports } };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

export const createMigrationRow = (sessions: number, rounds: number): Row => ({
  id: "P12",
  what: `migration of ${sessions} sessions from the schema before the boards`,
  figure: { name: "until the store is open", unit: "ms", better: "lower" },
  rounds,
  sides: [createSide("Agent Arcade", sessions, (file) => fillOldStore(file, sessions))],
  // Migrated before, so that nothing is left to count.
  idle: createSide("idle", sessions, (file) => fillStore(file, 1, false)),
  bars: [{ max: MIGRATION_MAX_MS }],
});
