/** Reading many sessions: lists and bests. */
import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Address } from "viem";
import { getPeriodStartMs, toBoardKey, toPeriodNumber } from "../../../../domain/leaderboard.ts";
import type { RunQuery, SessionRow, SessionStore } from "../../../ports/store/sessions.ts";
import type { Page, PageQuery } from "../../../ports/types.ts";
import {
  ENDED_PERIODS,
  HAS_FORFEITED_TIER,
  IS_ENDED,
  IS_OPEN,
  IS_OPEN_AGENT_SESSION,
  IS_PENDING,
  IS_RANKED,
  IS_RUN,
  IS_UNVERIFIED,
} from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { packSequence } from "../numbers.ts";
import { countRows, readPage, toFirst } from "../queries.ts";
import type { Db, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";
import { readTotals } from "../stats/standings.ts";
import { type StoredSession, selectSessions, toSessionRow } from "./rows.ts";

type SessionLists = Pick<
  SessionStore,
  | "listOpen"
  | "listUnverified"
  | "listPending"
  | "findBest"
  | "findBestOnChain"
  | "listMine"
  | "listLive"
  | "getForfeitedTier"
  | "listRuns"
>;
type Filter = <O>(query: SelectQueryBuilder<Schema, "sessions", O>) => SelectQueryBuilder<Schema, "sessions", O>;

/** One page, newest session first. */
const readNewest = (db: Db, page: PageQuery, filter: Filter): Promise<Page<SessionRow>> => {
  const sorted = filter(selectSessions(db)).orderBy("startedAtMs", "desc").orderBy("sessionId", "desc");
  return readPage(filter(db.selectFrom("sessions")), sorted, page, toSessionRow);
};

/** The session with the highest score; among equals the first to reach it. */
const selectBest = (db: Kysely<Schema>, wallet: SessionRow["wallet"], slug: string) =>
  selectSessions(db)
    .where("wallet", "=", wallet)
    .where("slug", "=", slug)
    .where(IS_RANKED)
    .orderBy("score", "desc")
    .orderBy("sequence")
    .limit(1);

const selectBestOf = defineStatement<Pick<SessionRow, "wallet" | "slug">, StoredSession>((db, { wallet, slug }) =>
  selectBest(db, wallet, slug),
);

const selectOpen = defineStatement<object, StoredSession>((db) =>
  selectSessions(db).where(IS_OPEN).orderBy("sessionId"),
);

type Limit = { readonly limit: number };

const selectUnverified = defineStatement<Limit, StoredSession>((db, { limit }) =>
  selectSessions(db).where(IS_UNVERIFIED).orderBy("sessionId").limit(limit),
);

type OfWallet = Limit & { readonly wallet: Address };

type PendingOfWallet = OfWallet & { readonly after: string };

/** A wallet's sequence counts its sessions in the order in which they ended. */
const buildPending = (db: Kysely<Schema>, { wallet, limit, after }: PendingOfWallet) =>
  selectSessions(db)
    .where("wallet", "=", wallet)
    .where(IS_PENDING)
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(limit);

const selectPending = defineStatement<PendingOfWallet, StoredSession>(buildPending);

const selectPendingOfGame = defineStatement<PendingOfWallet & Pick<SessionRow, "slug">, StoredSession>((db, values) =>
  buildPending(db, values).where("slug", "=", values.slug),
);

type OfAgent = Pick<SessionRow, "wallet" | "slug" | "agentId">;

/** Triggers keep this mark in step with the events (migration 0023). */
const IS_ON_CHAIN = sql<boolean>`is_on_chain = 1`;

const selectBestOnChain = (db: Kysely<Schema>, { wallet, slug, agentId }: OfAgent) =>
  selectBest(db, wallet, slug).where("agentId", "=", agentId).where("forfeitedAtMs", "is", null).where(IS_ON_CHAIN);

const selectForfeitedTier = (db: Kysely<Schema>, { wallet, slug, agentId }: OfAgent) =>
  db
    .selectFrom("sessions")
    .select((eb) => eb.fn.max("forfeitedTier").as("tier"))
    .where("wallet", "=", wallet)
    .where("slug", "=", slug)
    .where("agentId", "=", agentId)
    .where(HAS_FORFEITED_TIER);

/** The number of runs in a list: for a game from its board's sums, for one agent counted. */
async function countRuns(db: Db, { slug, period, nowMs, agentId }: RunQuery): Promise<number> {
  if (agentId === null) return (await readTotals(db, toBoardKey(slug, period, nowMs))).sessions;
  const ofAgent = db
    .selectFrom("sessions")
    .where("slug", "=", slug)
    .where("agentId", "=", agentId)
    .where("endedAtMs", ">=", getPeriodStartMs(period, nowMs))
    .where(IS_RUN);
  return await countRows(ofAgent);
}

async function readRuns(db: Db, query: RunQuery): Promise<Page<SessionRow>> {
  const { slug, sort, period, nowMs, agentId, page, limit } = query;
  const total = await countRuns(db, query);
  const offset = (page - 1) * limit;
  // Not beyond the last run of the period: many older ones may follow.
  const rowCount = Math.min(limit, total - offset);
  if (rowCount <= 0) return { items: [], total };
  let runs = selectSessions(db).where("slug", "=", slug).where(IS_RUN);
  if (agentId !== null) runs = runs.where("agentId", "=", agentId);
  const startMs = getPeriodStartMs(period, nowMs);
  if (sort === "recent") runs = runs.where("endedAtMs", ">=", startMs);
  // The plus keeps the planner from using the index by end, whose rows it would have to sort.
  else if (agentId !== null) runs = runs.where(sql<number>`+ended_at_ms`, ">=", startMs);
  else if (period !== "all") runs = runs.where(ENDED_PERIODS[period], "=", toPeriodNumber(period, nowMs));
  const sorted =
    sort === "top"
      ? runs.orderBy("score", "desc").orderBy("endedAtMs").orderBy("sessionId")
      : runs.orderBy("endedAtMs", "desc").orderBy("sessionId", "desc");
  return { items: (await sorted.limit(rowCount).offset(offset).execute()).map(toSessionRow), total };
}

export function createSessionLists({ read, readOne, readRows, compile }: Connection): SessionLists {
  // Runs for each prepared mint, and each start of a session with a gate.
  const findBestOnChain = compile<OfAgent, StoredSession>(selectBestOnChain);
  const findForfeitedTier = compile<OfAgent, { readonly tier: number | null }>(selectForfeitedTier);
  return {
    listOpen: () => readOne(async (db) => (await selectOpen(db, {})).rows.map(toSessionRow)),

    listUnverified: (limit) => readOne(async (db) => (await selectUnverified(db, { limit })).rows.map(toSessionRow)),

    listPending: (wallet, slug, limit, after = 0n) =>
      readOne(async (db) => {
        const values = { wallet, limit, after: packSequence(after) };
        const pending = slug === null ? selectPending(db, values) : selectPendingOfGame(db, { ...values, slug });
        return (await pending).rows.map(toSessionRow);
      }),

    findBest: (wallet, slug) =>
      readOne(async (db) => toFirst((await selectBestOf(db, { wallet, slug })).rows, toSessionRow)),

    findBestOnChain: async (wallet, slug, agentId) =>
      toFirst(await readRows(findBestOnChain({ wallet, slug, agentId })), toSessionRow),

    getForfeitedTier: async (wallet, slug, agentId) => {
      const [row] = await readRows(findForfeitedTier({ wallet, slug, agentId }));
      return row?.tier ?? 0;
    },

    listMine: ({ wallet, slug, status, source, ...page }) =>
      read((db) =>
        readNewest(db, page, (query) => {
          let mine = query.where("wallet", "=", wallet).where("slug", "=", slug);
          if (status !== null) mine = mine.where(status === "active" ? IS_OPEN : IS_ENDED);
          return source === null ? mine : mine.where("source", "=", source);
        }),
      ),

    listRuns: (query) => read((db) => readRuns(db, query)),

    listLive: ({ slug, ...page }) =>
      read((db) => readNewest(db, page, (query) => query.where("slug", "=", slug).where(IS_OPEN_AGENT_SESSION))),
  };
}
