/** Recordings of sessions: parts while a session runs, one compressed row when it has ended. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sql } from "kysely";
import type { Recording } from "../../../../domain/replay/build-replay.ts";
import type { EndedSession, RecordedChunk } from "../../../ports/store/sessions.ts";
import { BATCH_ROWS } from "../batches.ts";
import { IS_OPEN } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { defineInsert } from "../insert.ts";
import { isPostgres } from "../migrations/triggers.ts";
import type { Db } from "../schema.ts";
import { defineStatement } from "../statement.ts";
import { isOwnedBy } from "./rows.ts";

type Inputs = Recording["inputs"];

/** Compresses a whole recording, outside the event loop. */
export const compressRecording = ({ inputs, pauses, rulesHash }: EndedSession) =>
  promisify(gzip)(JSON.stringify({ inputs, pauses, rulesHash }));

/** Splits a flush into batches that contain each session at most once. */
function* splitBySession(chunks: readonly RecordedChunk[]): Generator<readonly RecordedChunk[]> {
  let batch = new Map<string, RecordedChunk>();
  for (const chunk of chunks) {
    if (batch.has(chunk.sessionId) || batch.size === BATCH_ROWS) {
      yield [...batch.values()];
      batch = new Map();
    }
    batch.set(chunk.sessionId, chunk);
  }
  if (batch.size > 0) yield [...batch.values()];
}

/** Updates the sessions that have not ended and had no later flush; returns their ids. */
async function advanceSessions(
  db: Db,
  chunks: readonly RecordedChunk[],
  owner: string | null,
): Promise<ReadonlySet<string>> {
  // Only `end` sets the phase `ended`, since it has more columns to set.
  const values = chunks.map(
    ({ sessionId, tick, score, phase, entropy }) =>
      sql`(${sessionId}, cast(${tick} as bigint), cast(${score} as bigint), ${phase === "ended" ? null : phase}, ${entropy})`,
  );
  const { rows } = await sql<{ sessionId: string }>`
    update sessions
    set tick = flush.column2, score = flush.column3, phase = coalesce(flush.column4, phase),
      entropy = coalesce(entropy, flush.column5)
    from (values ${sql.join(values)}) as flush
    where session_id = flush.column1 and tick <= flush.column2 and ${IS_OPEN} and ${isOwnedBy(owner)}
    returning session_id`.execute(db);
  return new Set(rows.map((row) => row.sessionId));
}

/** The sessions among these that have another owner. */
async function listMoved(db: Db, sessionIds: readonly string[], owner: string | null): Promise<readonly string[]> {
  if (owner === null || sessionIds.length === 0) return [];
  const query = db.selectFrom("sessions").select("sessionId").where("sessionId", "in", sessionIds);
  const rows = await query.where(sql<boolean>`owner is distinct from ${owner}`).execute();
  return rows.map((row) => row.sessionId);
}

/**
 * Adds one flush of all sessions with two statements per batch, since this thread also runs the ticks. Returns the ids
 * of the sessions that have another owner.
 */
export async function addChunks(
  db: Db,
  chunks: readonly RecordedChunk[],
  owner: string | null,
): Promise<readonly string[]> {
  const moved: string[] = [];
  for (const batch of splitBySession(chunks)) {
    const advanced = await advanceSessions(db, batch, owner);
    const ignored = batch.map(({ sessionId }) => sessionId).filter((sessionId) => !advanced.has(sessionId));
    moved.push(...(await listMoved(db, ignored, owner)));
    const parts = batch
      .filter(({ sessionId }) => advanced.has(sessionId))
      .filter(({ inputs, pauses }) => inputs.length + pauses.length > 0)
      .map(({ sessionId, inputs, pauses }) => ({
        sessionId,
        part: sql<number>`(select coalesce(max(part), 0) + 1 from recording_chunks where session_id = ${sessionId})`,
        inputs: JSON.stringify(inputs),
        pauses: JSON.stringify(pauses),
      }));
    if (parts.length > 0) await db.insertInto("recordingChunks").values(parts).execute();
  }
  return moved;
}

const insertRecordings = defineInsert("recordings");

const deleteChunks = defineStatement<{ readonly sessionId: string }, unknown>((db, { sessionId }) =>
  db.deleteFrom("recordingChunks").where("sessionId", "=", sessionId),
);

/** Replaces the parts of a recording with the whole one. */
export async function closeRecording(db: Db, sessionId: string, content: Uint8Array): Promise<void> {
  await insertRecordings(db, [{ sessionId, content }]);
  await deleteChunks(db, { sessionId });
}

const selectRecording = async (db: Db, sessionId: string) => ({
  whole: await db.selectFrom("recordings").select("content").where("sessionId", "=", sessionId).executeTakeFirst(),
  parts: await db
    .selectFrom("recordingChunks")
    .select(["inputs", "pauses"])
    .where("sessionId", "=", sessionId)
    .orderBy("part")
    .execute(),
});

async function toRecording({ whole, parts }: Awaited<ReturnType<typeof selectRecording>>): Promise<Recording> {
  if (whole !== undefined) return JSON.parse((await promisify(gunzip)(whole.content)).toString()) as Recording;
  return {
    inputs: parts.flatMap((part) => JSON.parse(part.inputs) as Inputs),
    pauses: parts.flatMap((part) => JSON.parse(part.pauses) as Recording["pauses"]),
    rulesHash: null,
  };
}

/** The recording so far, or the whole one; empty lists if there is none. */
export const readRecording = async ({ read }: Connection, sessionId: string): Promise<Recording> =>
  toRecording(await read((db) => selectRecording(db, sessionId)));

/** The same after any transactions that are writing it: each of them has locked the session's row. */
export const readSettledRecording = async ({ control }: Connection, sessionId: string): Promise<Recording> =>
  toRecording(
    await control(async (db) => {
      // SQLite has one writer, which is this transaction.
      if (isPostgres(db)) await sql`select 1 from sessions where session_id = ${sessionId} for update`.execute(db);
      return await selectRecording(db, sessionId);
    }),
  );
