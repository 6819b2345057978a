/** Indexes of the lists of runs: by end and by score, of a game, of one of its agents, and of a calendar period. */
import { type Kysely, sql } from "kysely";
import { ENDED_PERIODS, IS_RUN } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const index = (name: string) => db.schema.createIndex(name).on("sessions");
  await index("runsByEnd")
    .columns(["slug", "endedAtMs desc", "sessionId desc"] as const)
    .where(IS_RUN)
    .execute();
  await index("runsByScore")
    .columns(["slug", "score desc", "endedAtMs", "sessionId"] as const)
    .where(IS_RUN)
    .execute();
  await index("runsOfAgentByEnd")
    .columns(["slug", "agentId", "endedAtMs desc", "sessionId desc"] as const)
    .where(IS_RUN)
    .execute();
  await index("runsOfAgentByScore")
    .columns(["slug", "agentId", "score desc", "endedAtMs", "sessionId"] as const)
    .where(IS_RUN)
    .execute();
  for (const [period, endedPeriod] of Object.entries(ENDED_PERIODS)) {
    await sql`create index ${sql.raw(`runs_of_${period}_by_score`)}
      on sessions (slug, ${endedPeriod}, score desc, ended_at_ms, session_id) where ${IS_RUN}`.execute(db);
  }
}
