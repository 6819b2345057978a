/** Boards of the leaderboard, sums over the chain's events, telemetry and the newsletter. */
import type { Kysely } from "kysely";
import { rebuildTotals } from "../chain/totals.ts";
import { HAS_SCORED } from "../conditions.ts";
import type { Db } from "../schema.ts";
import { rebuildStandings } from "../stats/standings-count.ts";

const RANKING = ["score desc", "bestEndedAtMs", "bestSessionId"] as const;

/** `onProgress` is called with the number of stored sessions that were counted. */
export async function up(db: Kysely<unknown>, onProgress?: (sessions: number) => void): Promise<void> {
  await db.schema
    .createTable("standings")
    .addColumn("board", "text", (column) => column.notNull())
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("score", "bigint", (column) => column.notNull())
    .addColumn("bestEndedAtMs", "bigint", (column) => column.notNull())
    .addColumn("bestSessionId", "text", (column) => column.notNull())
    .addColumn("totalScore", "bigint", (column) => column.notNull())
    .addColumn("sessions", "bigint", (column) => column.notNull())
    .addColumn("lastPlayedAtMs", "bigint", (column) => column.notNull())
    .addColumn("agentId", "text")
    .addColumn("agentName", "text")
    .addPrimaryKeyConstraint("standingsKey", ["board", "wallet"])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on("standings");
  await index("standingsByScore")
    .columns(["board", ...RANKING])
    .execute();
  for (const column of ["totalScore", "sessions", "lastPlayedAtMs"] as const) {
    const name = `standingsBy${column[0]!.toUpperCase()}${column.slice(1)}`;
    await index(name)
      .columns(["board", `${column} desc`, ...RANKING])
      .execute();
    await index(`${name}Scored`)
      .columns(["board", `${column} desc`, ...RANKING])
      .where(HAS_SCORED)
      .execute();
  }

  await db.schema
    .createTable("boardTotals")
    .addColumn("board", "text", (column) => column.primaryKey().notNull())
    .addColumn("players", "bigint", (column) => column.notNull())
    .addColumn("scorers", "bigint", (column) => column.notNull())
    .addColumn("sessions", "bigint", (column) => column.notNull())
    .addColumn("highScore", "bigint", (column) => column.notNull())
    .addColumn("totalScore", "bigint", (column) => column.notNull())
    .addColumn("playMs", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("chainTotals")
    .addColumn("block", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("blockTime", "bigint", (column) => column.notNull())
    .addColumn("snapshots", "bigint", (column) => column.notNull())
    .addColumn("payouts", "bigint", (column) => column.notNull())
    .addColumn("paid", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("chainTotalsByTime").on("chainTotals").columns(["blockTime", "block"]).execute();

  await db.schema
    .createTable("telemetryEvents")
    .addColumn("eventId", "text", (column) => column.primaryKey().notNull())
    .addColumn("event", "text", (column) => column.notNull())
    .addColumn("wallet", "text")
    .addColumn("slug", "text")
    .addColumn("sessionId", "text")
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("occurredAtMs", "bigint", (column) => column.notNull())
    .addColumn("receivedAtMs", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("subscribers")
    .addColumn("email", "text", (column) => column.primaryKey().notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .execute();

  // What was played and paid before these tables existed.
  await rebuildStandings(db as unknown as Db, onProgress);
  await rebuildTotals(db as unknown as Db, 0);
}
