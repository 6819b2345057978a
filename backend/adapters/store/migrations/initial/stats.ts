/** Boards of the leaderboard, telemetry and the newsletter. */
import type { Kysely } from "kysely";
import { defineTable, indexesOf } from "../define-table.ts";

const RANKING = ["score desc", "bestEndedAtMs", "bestSessionId"] as const;

export async function createStatsTables({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`standings:
    board text, wallet text, score bigint, bestEndedAtMs bigint, bestSessionId text, totalScore bigint,
    sessions bigint, lastPlayedAtMs bigint, agentId text?, agentName text?`
    .addPrimaryKeyConstraint("standingsKey", ["board", "wallet"])
    .execute();
  const index = indexesOf(schema, "standings");
  await index("standingsByScore", ["board", ...RANKING]);
  for (const column of ["totalScore", "sessions", "lastPlayedAtMs"] as const) {
    const name = `standingsBy${column[0]!.toUpperCase()}${column.slice(1)}`;
    await index(name, ["board", `${column} desc`, ...RANKING]);
  }

  await defineTable(schema)`boardTotals:
    board text key, players bigint, scorers bigint, sessions bigint, highScore bigint, totalScore bigint,
    playMs bigint`.execute();

  await defineTable(schema)`telemetryEvents:
    eventId text key, event text, wallet text?, slug text?, sessionId text?, metadata text, occurredAtMs bigint,
    receivedAtMs bigint`.execute();

  await defineTable(schema)`subscribers:
    email text key, createdAtMs bigint`.execute();
}
