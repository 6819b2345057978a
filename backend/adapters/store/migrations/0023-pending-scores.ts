/** Whether a session's score is on chain, beside the session, so that an index holds the scores that are not. */
import { type Kysely, sql } from "kysely";
import { IS_PENDING } from "../conditions.ts";
import { runForEachRow } from "./triggers.ts";

const HAS_SNAPSHOT = sql`exists (select 1 from chain_events where name = 'ScoreSnapshot'
  and chain_events.game_session_hash = sessions.game_session_hash and chain_events.wallet = sessions.wallet)`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("sessions")
    .addColumn("isOnChain", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update sessions set is_on_chain = 1 where game_session_hash is not null and ${HAS_SNAPSHOT}`.execute(db);
  // The events decide, also where a reorganization removes them.
  await runForEachRow(db, {
    name: "snapshots_mark_their_session",
    event: "after insert on chain_events",
    when: sql<boolean>`new.name = 'ScoreSnapshot'`,
    statement: sql`update sessions set is_on_chain = 1
      where game_session_hash = new.game_session_hash and wallet = new.wallet`,
  });
  await runForEachRow(db, {
    name: "removed_snapshots_unmark_their_session",
    event: "after delete on chain_events",
    when: sql<boolean>`old.name = 'ScoreSnapshot'`,
    statement: sql`update sessions set is_on_chain = 0
      where game_session_hash = old.game_session_hash and wallet = old.wallet`,
  });
  // A restored backup may have the events of a session that ends after them.
  await runForEachRow(db, {
    name: "sessions_find_their_snapshot",
    event: "after update of game_session_hash on sessions",
    when: sql<boolean>`new.game_session_hash is not null`,
    statement: sql`update sessions set is_on_chain = case when ${HAS_SNAPSHOT} then 1 else 0 end
      where session_id = new.session_id`,
  });
  const index = (name: string) => db.schema.createIndex(name).on("sessions");
  await index("pendingScores").columns(["wallet", "sequence"]).where(IS_PENDING).execute();
  await index("pendingScoresOfGame").columns(["wallet", "slug", "sequence"]).where(IS_PENDING).execute();
}
