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

/** Adds one flush, unless the session has ended or a later flush was stored. */
export async function addChunk(db: Db, chunk: RecordedChunk): Promise<void> {
  const { sessionId, tick, score, phase, inputs, stateDigests } = chunk;
  const updated = await db
    .updateTable("sessions")
    // Ending is more than a phase: `end` alone does it.
    .set({ tick, score, ...(phase !== "ended" && { phase }) })
    .where("sessionId", "=", sessionId)
    .where("tick", "<=", tick)
    .where(IS_OPEN)
    .executeTakeFirstOrThrow();
  if (updated.numUpdatedRows !== 1n || (inputs.length === 0 && stateDigests.length === 0)) return;
  const part = sql<number>`(select coalesce(max(part), 0) + 1 from recording_chunks where session_id = ${sessionId})`;
  await db
    .insertInto("recordingChunks")
    .values({ sessionId, part, inputs: JSON.stringify(inputs), stateDigests: JSON.stringify(stateDigests) })
    .execute();
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
