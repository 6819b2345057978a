/** Marks sessions whose scores are signed: the time of the first signature, and the latest deadline of any. */
import { sql } from "kysely";
import { type Columns, toColumns } from "../batches.ts";
import { IS_CLAIMABLE, IS_VERIFIED } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import type { RunCalls } from "../group-commit.ts";
import { type BuildStatement, defineStatement } from "../statement.ts";

interface PreparedSession {
  readonly sessionId: string;
  readonly atMs: number;
  readonly signedUntilSeconds: number;
}

const buildUpdate: BuildStatement<PreparedSession, unknown> = (db, { sessionId, atMs, signedUntilSeconds }) =>
  db
    .updateTable("sessions")
    .set({
      preparedAtMs: sql<number>`coalesce(prepared_at_ms, ${atMs})`,
      signedUntilSeconds: sql<number>`case when signed_until_seconds > ${signedUntilSeconds} then signed_until_seconds
        else ${signedUntilSeconds} end`,
    })
    .where("sessionId", "=", sessionId)
    .where(IS_CLAIMABLE)
    .where(IS_VERIFIED);

type Marked = Pick<PreparedSession, "sessionId">;

/** For PostgreSQL. Rows are locked in the order of their ids, so that the transactions of two nodes cannot deadlock. */
const updateAll = defineStatement<Columns<PreparedSession>, Marked>(
  (_, { sessionId, atMs, signedUntilSeconds }) => sql<Marked>`update sessions set
    prepared_at_ms = coalesce(prepared_at_ms, asked.at_ms),
    signed_until_seconds = greatest(signed_until_seconds, asked.until_seconds)
  from (
    select session_id as id from sessions
    where session_id = any(${sessionId}::text[]) and ${IS_CLAIMABLE} and ${IS_VERIFIED}
    order by session_id for update
  ) as locked join (
    select id, (array_agg(at_ms order by place))[1] as at_ms, max(until_seconds) as until_seconds
    from unnest(${sessionId}::text[], ${atMs}::int8[], ${signedUntilSeconds}::int8[])
      with ordinality as calls (id, at_ms, until_seconds, place)
    group by id
  ) as asked using (id)
  where session_id = id
  returning session_id`,
);

const markAll: RunCalls<PreparedSession, boolean> = async (db, sessions) => {
  const { rows } = await updateAll(db, toColumns(sessions));
  const marked = new Set(rows.map(({ sessionId }) => sessionId));
  return sessions.map(({ sessionId }) => marked.has(sessionId));
};

/** Creates the function that marks a session and returns whether its score can still be claimed. */
export function defineMark({ compile, defineWrite }: Connection): (session: PreparedSession) => Promise<boolean> {
  const update = compile(buildUpdate);
  return defineWrite({
    one: async (db, session) => (await db.executeQuery(update(session))).numAffectedRows === 1n,
    all: markAll,
  });
}
