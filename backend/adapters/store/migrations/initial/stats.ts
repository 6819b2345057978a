/** Boards of the leaderboard, telemetry and the newsletter. */
import type { Kysely } from "kysely";
import { HAS_SCORED } from "../../conditions.ts";

const RANKING = ["score desc", "bestEndedAtMs", "bestSessionId"] as const;

export async function createStatsTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
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
  const index = (name: string) => schema.createIndex(name).on("standings");
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

  await schema
    .createTable("boardTotals")
    .addColumn("board", "text", (column) => column.primaryKey().notNull())
    .addColumn("players", "bigint", (column) => column.notNull())
    .addColumn("scorers", "bigint", (column) => column.notNull())
    .addColumn("sessions", "bigint", (column) => column.notNull())
    .addColumn("highScore", "bigint", (column) => column.notNull())
    .addColumn("totalScore", "bigint", (column) => column.notNull())
    .addColumn("playMs", "bigint", (column) => column.notNull())
    .execute();

  await schema
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

  await schema
    .createTable("subscribers")
    .addColumn("email", "text", (column) => column.primaryKey().notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .execute();
}
