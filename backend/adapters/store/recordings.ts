/** What is recorded of a session: parts while it runs, one compressed row when it has ended. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sql } from "kysely";
import type { EndedSession, Hex, RecordedChunk, SessionStore } from "../../ports.ts";
import { IS_OPEN } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";

export type Recording = Awaited<ReturnType<SessionStore["recording"]>>;
type Inputs = Recording["inputs"];

/** Compresses a whole recording, away from the event loop. */
export const packRecording = ({ inputs, stateDigests }: Pick<EndedSession, "inputs" | "stateDigests">) =>
  promisify(gzip)(JSON.stringify({ inputs, stateDigests }));

/** Parts of one statement: far below SQLite's limit of 32,766 parameters. */
const BATCH = 500;

/** Cuts a flush into batches in which each session occurs once. */
function* inBatches(chunks: readonly RecordedChunk[]): Generator<readonly RecordedChunk[]> {
  let batch = new Map<string, RecordedChunk>();
  for (const chunk of chunks) {
    if (batch.has(chunk.sessionId) || batch.size === BATCH) {
      yield [...batch.values()];
      batch = new Map();
    }
    batch.set(chunk.sessionId, chunk);
  }
  if (batch.size > 0) yield [...batch.values()];
}

/** Moves the sessions along that have not ended and had no later flush; answers which these are. */
async function advance(db: Db, chunks: readonly RecordedChunk[]): Promise<ReadonlySet<string>> {
  // Ending is more than a phase: `end` alone does it.
  const values = chunks.map(
    ({ sessionId, tick, score, phase }) => sql`(${sessionId}, ${tick}, ${score}, ${phase === "ended" ? null : phase})`,
  );
  const { rows } = await sql<{ sessionId: string }>`
    update sessions
    set tick = flush.column2, score = flush.column3, phase = coalesce(flush.column4, phase)
    from (values ${sql.join(values)}) as flush
    where session_id = flush.column1 and tick <= flush.column2 and ${IS_OPEN}
    returning session_id`.execute(db);
  return new Set(rows.map((row) => row.sessionId));
}

/** Adds one flush of all sessions: two statements, however many there are, since games tick on this thread too. */
export async function addChunks(db: Db, chunks: readonly RecordedChunk[]): Promise<void> {
  for (const batch of inBatches(chunks)) {
    const advanced = await advance(db, batch);
    const parts = batch
      .filter(({ sessionId }) => advanced.has(sessionId))
      .filter(({ inputs, stateDigests }) => inputs.length > 0 || stateDigests.length > 0)
      .map(({ sessionId, inputs, stateDigests }) => ({
        sessionId,
        part: sql<number>`(select coalesce(max(part), 0) + 1 from recording_chunks where session_id = ${sessionId})`,
        inputs: JSON.stringify(inputs),
        stateDigests: JSON.stringify(stateDigests),
      }));
    if (parts.length > 0) await db.insertInto("recordingChunks").values(parts).execute();
  }
}

/** Puts the whole recording in the place of its parts. */
export async function closeRecording(db: Db, sessionId: string, content: Uint8Array): Promise<void> {
  await db.insertInto("recordings").values({ sessionId, content }).execute();
  await db.deleteFrom("recordingChunks").where("sessionId", "=", sessionId).execute();
}

/** The recording so far, or the whole one; empty lists where there is none. */
export async function readRecording({ read }: Connection, sessionId: string): Promise<Recording> {
  const { whole, parts } = await read(async (db) => ({
    whole: await db.selectFrom("recordings").select("content").where("sessionId", "=", sessionId).executeTakeFirst(),
    parts: await db
      .selectFrom("recordingChunks")
      .select(["inputs", "stateDigests"])
      .where("sessionId", "=", sessionId)
      .orderBy("part")
      .execute(),
  }));
  if (whole !== undefined) return JSON.parse((await promisify(gunzip)(whole.content)).toString()) as Recording;
  return {
    inputs: parts.flatMap((part) => JSON.parse(part.inputs) as Inputs),
    stateDigests: parts.flatMap((part) => JSON.parse(part.stateDigests) as Hex[]),
  };
}
