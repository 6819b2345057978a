/** Game sessions: one row each, whose result never changes once it has ended. */
import { type RawBuilder, sql } from "kysely";
import { ArcadeError } from "../../domain/errors.ts";
import type { Address, EndedSession, Hex, SessionRow, SessionStore } from "../../ports.ts";
import { IS_AGENT_SESSION, IS_CLAIMABLE, IS_ENDED, IS_OPEN, IS_OPEN_AGENT_SESSION, IS_SNAPSHOT } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";
import { packSequence, unpackUint } from "./numbers.ts";
import { addChunks, closeRecording, packRecording, readRecording } from "./recordings.ts";
import type { SessionTable } from "./schema.ts";
import { makeSessionLists } from "./session-lists.ts";
import { isOnChain, selectSessions, toSessionRow } from "./session-rows.ts";
import { countSession } from "./standings-count.ts";

const UNTOUCHED = {
  phase: "ready",
  endedAtMs: null,
  endReason: null,
  score: 0,
  tick: 0,
  replayDigest: null,
  gameSessionHash: null,
  sequence: null,
  verification: "pending",
  preparedAtMs: null,
  forfeitedAtMs: null,
  forfeitedTier: null,
} as const satisfies Partial<SessionTable>;

/** One conditional update of one session: true when it was made. */
async function change(
  db: Db,
  sessionId: string,
  changes: { [K in keyof SessionTable]?: SessionTable[K] | RawBuilder<SessionTable[K]> },
  conditions: readonly RawBuilder<boolean>[],
): Promise<boolean> {
  const query = db.updateTable("sessions").set(changes).where("sessionId", "=", sessionId);
  const result = await conditions.reduce((q, condition) => q.where(condition), query).executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

async function findRow(db: Db, column: "sessionId" | "gameSessionHash", value: string): Promise<SessionRow | null> {
  const row = await selectSessions(db).where(column, "=", value).executeTakeFirst();
  return row === undefined ? null : toSessionRow(row);
}

/** One above every number that the wallet has used here or on chain; 1 at first. */
async function nextSequence(db: Db, wallet: Address): Promise<bigint> {
  const here = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.max("sequence").as("last"))
    .where("wallet", "=", wallet)
    .executeTakeFirstOrThrow();
  const onChain = await db
    .selectFrom("chainEvents")
    .select((eb) => eb.fn.max("sequence").as("last"))
    .where("wallet", "=", wallet)
    .where(IS_SNAPSHOT)
    .executeTakeFirstOrThrow();
  const used = [here.last, onChain.last].map((last) => (last === null ? 0n : unpackUint(last)));
  return 1n + used.reduce((a, b) => (a > b ? a : b));
}

async function endSession(db: Db, ended: EndedSession, content: Uint8Array, hashOf: (sequence: bigint) => Hex) {
  const { sessionId, endedAtMs, endReason, score, tick, replayDigest } = ended;
  const session = await findRow(db, "sessionId", sessionId);
  if (session === null) throw new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId} to end.`);
  if (session.phase === "ended") return session;
  const numbered = session.source === "agent_api" && session.wallet !== null;
  const sequence = numbered ? await nextSequence(db, session.wallet) : null;
  const result = { endedAtMs, endReason, score, tick, replayDigest } as const;
  const number =
    sequence === null
      ? {}
      : { sequence: packSequence(sequence), gameSessionHash: hashOf(sequence).toLowerCase() as Hex };
  if (!(await change(db, sessionId, { phase: "ended", ...result, ...number }, [IS_OPEN]))) {
    throw new Error(`sessions.end: session ${sessionId} changed while it was being ended`);
  }
  await closeRecording(db, sessionId, content);
  return await findRow(db, "sessionId", sessionId);
}

export function makeSessionStore(connection: Connection): SessionStore {
  const { read, write } = connection;
  return {
    ...makeSessionLists(connection),

    add: (session) =>
      write(async (db) => {
        const inserted = await db
          .insertInto("sessions")
          .values({ ...session, ...UNTOUCHED })
          .onConflict((conflict) => conflict.columns(["wallet", "slug"]).where(IS_OPEN_AGENT_SESSION).doNothing())
          .executeTakeFirstOrThrow();
        if (inserted.numInsertedOrUpdatedRows === 1n) return { added: true };
        const active = await db
          .selectFrom("sessions")
          .select("sessionId")
          .where("wallet", "=", session.wallet)
          .where("slug", "=", session.slug)
          .where(IS_OPEN_AGENT_SESSION)
          .executeTakeFirstOrThrow();
        return { added: false, activeSessionId: active.sessionId };
      }),

    find: (sessionId) => read((db) => findRow(db, "sessionId", sessionId)),
    findByHash: (gameSessionHash) => read((db) => findRow(db, "gameSessionHash", gameSessionHash.toLowerCase())),

    record: (chunks) => connection.writeBehind((db) => addChunks(db, chunks)),

    recording: (sessionId) => readRecording(connection, sessionId),

    async end(ended, hashOf) {
      const content = await packRecording(ended);
      const row = await write((db) => endSession(db, ended, content, hashOf));
      if (row === null) throw new Error(`sessions.end: session ${ended.sessionId} vanished`);
      return row;
    },

    setVerification: (sessionId, state) =>
      write(async (db) => {
        const made = await change(db, sessionId, { verification: state }, [
          IS_ENDED,
          sql<boolean>`verification = 'pending'`,
        ]);
        if (made && state === "verified") await countSession(db, sessionId);
        return made;
      }),

    markPrepared: (sessionId, atMs) =>
      write((db) =>
        change(db, sessionId, { preparedAtMs: sql`coalesce(prepared_at_ms, ${atMs})` }, [
          IS_CLAIMABLE,
          sql<boolean>`verification = 'verified'`,
        ]),
      ),

    forfeit: (sessionId, atMs) =>
      write((db) =>
        change(db, sessionId, { forfeitedAtMs: atMs }, [
          IS_AGENT_SESSION,
          IS_ENDED,
          sql<boolean>`forfeited_at_ms is null`,
          sql<boolean>`not ${isOnChain(db)}`,
        ]),
      ),

    forfeitTier: (sessionId, tier) =>
      write((db) =>
        change(db, sessionId, { forfeitedTier: tier }, [
          IS_AGENT_SESSION,
          IS_ENDED,
          sql<boolean>`(forfeited_tier is null or forfeited_tier < ${tier})`,
        ]),
      ),
  };
}
