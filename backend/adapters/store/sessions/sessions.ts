/** Game sessions: one row each. The result of an ended session never changes. */
import { type RawBuilder, sql } from "kysely";
import type { Hex } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { SessionSource } from "../../../../domain/session.ts";
import type { EndedSession, SessionRow, SessionStore } from "../../../ports/store/sessions.ts";
import { IS_AGENT_SESSION, IS_ENDED, IS_OPEN, IS_OPEN_AGENT_SESSION } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { publish } from "../facts.ts";
import { defineInsert } from "../insert.ts";
import { packSequence } from "../numbers.ts";
import { toFirst } from "../queries.ts";
import type { Db, SessionTable } from "../schema.ts";
import { type BuildStatement, defineStatement } from "../statement.ts";
import { addSession } from "../stats/standings-count.ts";
import { createSessionLists } from "./lists.ts";
import { getNextSequence } from "./next-sequence.ts";
import { createSessionOwnership } from "./ownership.ts";
import { defineMark } from "./prepared.ts";
import { addChunks, closeRecording, compressRecording, readRecording, readSettledRecording } from "./recordings.ts";
import { isOnChain, isOwnedBy, type StoredSession, selectSessions, toSessionRow } from "./rows.ts";

const INITIAL_COLUMNS = {
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
  signedUntilSeconds: null,
  forfeitedAtMs: null,
  forfeitedTier: null,
  entropy: null,
  transcriptSignature: null,
  isOnChain: 0,
} as const satisfies Partial<SessionTable>;

/** One conditional update of one session; true if a row was changed. */
async function updateSession(
  db: Db,
  sessionId: string,
  changes: { [K in keyof SessionTable]?: SessionTable[K] | RawBuilder<SessionTable[K]> },
  conditions: readonly RawBuilder<boolean>[],
): Promise<boolean> {
  const query = db.updateTable("sessions").set(changes).where("sessionId", "=", sessionId);
  const result = await conditions.reduce((q, condition) => q.where(condition), query).executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

const forfeit = (
  db: Db,
  sessionId: string,
  { atMs, signedBeforeSeconds }: Parameters<SessionStore["forfeit"]>[1],
): Promise<boolean> =>
  updateSession(db, sessionId, { forfeitedAtMs: atMs }, [
    IS_AGENT_SESSION,
    IS_ENDED,
    sql<boolean>`forfeited_at_ms is null`,
    sql<boolean>`not ${isOnChain(db)}`,
    sql<boolean>`(signed_until_seconds is null or signed_until_seconds < ${signedBeforeSeconds})`,
  ]);

type OfSession = Pick<SessionRow, "sessionId">;

const buildSelectById: BuildStatement<OfSession, StoredSession> = (db, { sessionId }) =>
  selectSessions(db).where("sessionId", "=", sessionId);

const selectOfTransaction = defineStatement(buildSelectById);

async function findSession(db: Db, sessionId: string): Promise<SessionRow | null> {
  return toFirst((await selectOfTransaction(db, { sessionId })).rows, toSessionRow);
}

const createMovedError = (sessionId: string): ArcadeError =>
  new ArcadeError(
    "SHUTTING_DOWN",
    `Session ${sessionId} is now run by another backend; nothing was stored, connect again to reach it.`,
  );

async function endSession(
  db: Db,
  ended: EndedSession,
  owner: string | null,
  content: Uint8Array,
  toSessionHash: (sequence: bigint) => Hex,
) {
  const { sessionId, endedAtMs, endReason, score, tick, replayDigest, entropy } = ended;
  const session = await findSession(db, sessionId);
  if (session === null) throw new ArcadeError("SESSION_NOT_FOUND", `There is no running session ${sessionId}.`);
  if (owner !== null && session.owner !== owner) throw createMovedError(sessionId);
  if (session.phase === "ended") return session;
  const hasSequence = session.source === "agent_api" && session.wallet !== null;
  const sequence = hasSequence ? await getNextSequence(db, session.wallet) : null;
  const result = { endedAtMs, endReason, score, tick, replayDigest, entropy } as const;
  const sequenceColumns =
    sequence === null
      ? {}
      : { sequence: packSequence(sequence), gameSessionHash: toSessionHash(sequence).toLowerCase() as Hex };
  if (
    !(await updateSession(db, sessionId, { phase: "ended", ...result, ...sequenceColumns }, [
      IS_OPEN,
      isOwnedBy(owner),
    ]))
  ) {
    throw new Error(`sessions.end: session ${sessionId} changed while it was being ended`);
  }
  await closeRecording(db, sessionId, content);
  if (ended.isForfeited === true) await forfeit(db, sessionId, { atMs: endedAtMs, signedBeforeSeconds: 0 });
  return await findSession(db, sessionId);
}

const insertSessions = defineInsert("sessions", (conflict) =>
  conflict.columns(["wallet", "slug"]).where(IS_OPEN_AGENT_SESSION).doNothing(),
);

/**
 * `getOwner`: the holder of the lease when a method is called; null if none is held. Later writes of that call still
 * belong to that owner, even if this process has lost the lease and taken another one since.
 */
export function createSessionStore(connection: Connection, getOwner: () => string | null): SessionStore {
  const { readOne, readRows, write, writeApart, writeBehind, compile } = connection;
  /** Practice scores never reach the chain, and many practice sessions must not delay ticks by waiting for the disk. */
  const writeOf = (source: SessionSource): Connection["write"] => (source === "browser_ws" ? writeBehind : write);
  const selectById = compile(buildSelectById);
  const markPrepared = defineMark(connection);
  return {
    ...createSessionLists(connection),
    ...createSessionOwnership(connection, getOwner),

    add: (session) => {
      const row: SessionTable = { ...session, ...INITIAL_COLUMNS, owner: getOwner() };
      return writeOf(session.source)(async (db) => {
        if ((await insertSessions(db, [row])) === 1n)
          return { added: true, row: toSessionRow({ ...row, snapshotTxHash: null, snapshotBlock: null }) };
        const active = await db
          .selectFrom("sessions")
          .select("sessionId")
          .where("wallet", "=", session.wallet)
          .where("slug", "=", session.slug)
          .where(IS_OPEN_AGENT_SESSION)
          .executeTakeFirstOrThrow();
        return { added: false, activeSessionId: active.sessionId };
      });
    },

    find: async (sessionId) => toFirst(await readRows(selectById({ sessionId })), toSessionRow),
    findByHash: (gameSessionHash) =>
      readOne(async (db) => {
        const found = selectSessions(db).where("gameSessionHash", "=", gameSessionHash.toLowerCase() as Hex);
        return toFirst(await found.execute(), toSessionRow);
      }),

    record: (chunks) => {
      const owner = getOwner();
      return connection.writeBehind((db) => addChunks(db, chunks, owner));
    },

    getRecording: (sessionId) => readRecording(connection, sessionId),

    getSettledRecording: (sessionId) => readSettledRecording(connection, sessionId),

    async end(ended, toSessionHash) {
      const owner = getOwner();
      const content = await compressRecording(ended);
      const [session] = await readRows(selectById({ sessionId: ended.sessionId }));
      const writeEnd = writeOf(session?.source ?? "agent_api");
      const row = await writeEnd((db) => endSession(db, ended, owner, content, toSessionHash));
      if (row === null) throw new Error(`sessions.end: session ${ended.sessionId} vanished`);
      return row;
    },

    addTranscriptSignature: (sessionId, signature) =>
      write((db) =>
        updateSession(db, sessionId, { transcriptSignature: signature }, [
          IS_ENDED,
          sql<boolean>`transcript_signature is null`,
        ]),
      ),

    setVerification: (sessionId, state) =>
      writeApart(async (db) => {
        const isChanged = await updateSession(db, sessionId, { verification: state }, [
          IS_ENDED,
          sql<boolean>`verification = 'pending'`,
        ]);
        if (isChanged && state === "verified") {
          publish(db, "runs");
          await addSession(db, sessionId);
        }
        return isChanged;
      }),

    markPrepared: (sessionId, { atMs, signedUntilSeconds }) => markPrepared({ sessionId, atMs, signedUntilSeconds }),

    getLastDeadline: () =>
      readOne(async (db) => {
        const [row] = await db
          .selectFrom("sessions")
          .select(({ fn }) => fn.max("signedUntilSeconds").as("last"))
          .where("isOnChain", "=", 0)
          .execute();
        return row?.last ?? null;
      }),

    forfeit: (sessionId, terms) => write((db) => forfeit(db, sessionId, terms)),

    forfeitTier: (sessionId, tier) =>
      write((db) =>
        updateSession(db, sessionId, { forfeitedTier: tier }, [
          IS_AGENT_SESSION,
          IS_ENDED,
          sql<boolean>`(forfeited_tier is null or forfeited_tier < ${tier})`,
        ]),
      ),
  };
}
