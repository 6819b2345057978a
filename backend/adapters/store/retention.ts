/** Removes expired rows, a few at a time. */
import { sql } from "kysely";
import { uuidV7 } from "../../../domain/ids.ts";
import { listOverBoards } from "../../../domain/leaderboard.ts";
import { type PurgedTable, RETENTION, type RetentionRule } from "../../../domain/retention.ts";
import { DAY_MS } from "../../../domain/time.ts";
import type { RetentionStore } from "../../ports/store/retention.ts";
import { IS_ENDED_PRACTICE, IS_MINT_SIGNING, IS_UNMINTED } from "./conditions.ts";
import type { Connection } from "./connection.ts";
import type { Db, Schema } from "./schema.ts";

/** Every table has its rule. */
const RULES: { readonly [table in keyof Schema]: RetentionRule } = RETENTION;
/** How far the clocks of service and chain may differ, and a mint may be from the creation of its document. */
const MINT_WINDOW_SECONDS = DAY_MS / 1000;

type Purge = (db: Db, beforeMs: number, limit: number) => Promise<number>;

const countDeleted = (results: readonly { readonly numDeletedRows: bigint }[]): number =>
  results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);

const purgeExpired =
  (table: "nonces" | "accessTokens" | "refreshTokens" | "channelTokens"): Purge =>
  async (db, beforeMs, limit) => {
    const key = table === "nonces" ? "nonce" : "tokenHash";
    const expired = sql`select ${sql.ref(key)} from ${sql.table(table)} where expires_at_ms < ${beforeMs}
      order by expires_at_ms limit ${limit}`;
    return countDeleted(
      await db
        .deleteFrom(table)
        .where(sql<boolean>`${sql.ref(key)} in (${expired})`)
        .execute(),
    );
  };

async function purgePractice(db: Db, beforeMs: number, limit: number): Promise<number> {
  const ended = await db
    .selectFrom("sessions")
    .select("sessionId")
    .where(IS_ENDED_PRACTICE)
    .where("endedAtMs", "<", beforeMs)
    .orderBy("endedAtMs")
    .limit(limit)
    .execute();
  const ids = ended.map(({ sessionId }) => sessionId);
  if (ids.length === 0) return 0;
  for (const table of ["recordings", "recordingChunks", "channelTokens", "orders", "sessions"] as const)
    await db.deleteFrom(table).where("sessionId", "in", ids).execute();
  return ids.length;
}

/** Documents of registrations: those with a mint are kept forever from now on, the others are removed. */
async function purgeDocuments(db: Db, beforeMs: number, limit: number): Promise<number> {
  const documents = await db
    .selectFrom("metadataDocuments")
    .select(["digest", "wallet", "createdAtMs"])
    .where(IS_UNMINTED)
    .where("createdAtMs", "<", beforeMs)
    .orderBy("createdAtMs")
    .limit(limit)
    .execute();
  for (const { digest, wallet, createdAtMs } of documents) {
    const createdAt = Math.floor(createdAtMs / 1000);
    const mint = await db
      .selectFrom("chainEvents")
      .select("position")
      .where("wallet", "=", wallet!)
      .where("name", "=", "Registered")
      .where("blockTime", ">=", createdAt - MINT_WINDOW_SECONDS)
      .where("blockTime", "<=", createdAt + MINT_WINDOW_SECONDS)
      .executeTakeFirst();
    if (mint === undefined) await db.deleteFrom("metadataDocuments").where("digest", "=", digest).execute();
    else await db.updateTable("metadataDocuments").set({ wallet: null }).where("digest", "=", digest).execute();
  }
  return documents.length;
}

async function purgeListings(db: Db, beforeMs: number, limit: number): Promise<number> {
  const over = await db
    .selectFrom("listings")
    .select("listingId")
    .where("endsAtMs", "<", beforeMs)
    .orderBy("endsAtMs")
    .limit(limit)
    .execute();
  const ids = over.map(({ listingId }) => listingId);
  if (ids.length === 0) return 0;
  for (const table of ["hiddenListings", "listings"] as const)
    await db.deleteFrom(table).where("listingId", "in", ids).execute();
  return ids.length;
}

/** Removes rows of one board of a past period; its sums last. */
async function purgeStandings(db: Db, beforeMs: number, limit: number): Promise<number> {
  for (const [from, to] of listOverBoards(beforeMs)) {
    const over = await db
      .selectFrom("boardTotals")
      .select("board")
      .where("board", ">=", from)
      .where("board", "<", to)
      .limit(1)
      .executeTakeFirst();
    if (over === undefined) continue;
    const wallets = db.selectFrom("standings").select("wallet").where("board", "=", over.board).limit(limit);
    const rows = db.deleteFrom("standings").where("board", "=", over.board).where("wallet", "in", wallets);
    if (countDeleted(await rows.execute()) < limit)
      await db.deleteFrom("boardTotals").where("board", "=", over.board).execute();
    // Other boards may be of past periods as well.
    return limit;
  }
  return 0;
}

const PURGES: { readonly [table in PurgedTable]: Purge } = {
  nonces: purgeExpired("nonces"),
  accessTokens: purgeExpired("accessTokens"),
  refreshTokens: purgeExpired("refreshTokens"),
  channelTokens: purgeExpired("channelTokens"),
  idempotencyKeys: async (db, beforeMs, limit) => {
    const old = sql`select caller, route, "key" from idempotency_keys where created_at_ms < ${beforeMs}
      order by created_at_ms limit ${limit}`;
    return countDeleted(
      await db.deleteFrom("idempotencyKeys").where(sql<boolean>`(caller, route, "key") in (${old})`).execute(),
    );
  },
  telemetryEvents: async (db, beforeMs, limit) => {
    // The ids ascend with the time of arrival.
    const before = uuidV7(beforeMs, new Uint8Array(10));
    const old = sql`select event_id from telemetry_events where event_id < ${before} order by event_id limit ${limit}`;
    return countDeleted(await db.deleteFrom("telemetryEvents").where(sql<boolean>`event_id in (${old})`).execute());
  },
  sessions: purgePractice,
  metadataDocuments: purgeDocuments,
  signings: async (db, beforeMs, limit) => {
    const old = sql`select kind, "key" from signings where ${IS_MINT_SIGNING} and created_at_ms < ${beforeMs}
      order by created_at_ms limit ${limit}`;
    return countDeleted(await db.deleteFrom("signings").where(sql<boolean>`(kind, "key") in (${old})`).execute());
  },
  listings: purgeListings,
  standings: purgeStandings,
  relays: async (db, beforeMs, limit) => {
    const old = sql`select relay_id from relays where created_at_ms < ${beforeMs} order by created_at_ms limit ${limit}`;
    return countDeleted(await db.deleteFrom("relays").where(sql<boolean>`relay_id in (${old})`).execute());
  },
};

export function createRetentionStore({ writeApart }: Connection): RetentionStore {
  return {
    purge: (table, beforeMs, limit) =>
      RULES[table].days === null ? Promise.resolve(0) : writeApart((db) => PURGES[table](db, beforeMs, limit)),
  };
}
