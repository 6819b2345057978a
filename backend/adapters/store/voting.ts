/** Community voting: reading candidates, cycles and ballots, and casting votes. */
import { sql } from "kysely";
import { isCycleOpen } from "../../domain/voting.ts";
import type { CandidateRow, CycleRow, Tally, VotingStore } from "../../ports.ts";
import { IS_RANKED, IS_UNSETTLED } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";
import { selectSessions, toSessionRow } from "./session-rows.ts";
import { makeVotingProcess } from "./voting-process.ts";

export const selectCycles = (db: Db) => db.selectFrom("votingCycles").selectAll();
export const selectCandidates = (db: Db) => db.selectFrom("votingCandidates").selectAll();

export const findUnsettled = async (db: Db): Promise<CycleRow | null> =>
  (await selectCycles(db).where(IS_UNSETTLED).executeTakeFirst()) ?? null;

export const findCandidate = async (db: Db, slug: string): Promise<CandidateRow | null> =>
  (await selectCandidates(db).where("slug", "=", slug).executeTakeFirst()) ?? null;

/** A game's votes by source. */
export async function tallyOf(db: Db, gameSlug: string): Promise<Tally> {
  const rows = await db
    .selectFrom("votes")
    .select(["voteSource", (eb) => eb.fn.countAll<number>().as("count")])
    .where("gameSlug", "=", gameSlug)
    .groupBy("voteSource")
    .execute();
  const count = (source: string): number => Number(rows.find(({ voteSource }) => voteSource === source)?.count ?? 0);
  return { gameSlug, human: count("human"), aiAgent: count("ai_agent") };
}

export function makeVotingStore(connection: Connection): VotingStore {
  const { read, write } = connection;
  return {
    ...makeVotingProcess(connection),

    findCandidate: (slug) => read((db) => findCandidate(db, slug)),
    listCandidates: (state) =>
      read(async (db) => {
        const all = selectCandidates(db).orderBy("appliedAtMs").orderBy("slug");
        return await (state === null ? all : all.where("state", "=", state)).execute();
      }),
    candidatesOf: (cycleId) =>
      read((db) =>
        selectCandidates(db).where("cycleId", "=", cycleId).orderBy("appliedAtMs").orderBy("slug").execute(),
      ),

    unsettledCycle: () => read(findUnsettled),
    findCycle: (id) => read(async (db) => (await selectCycles(db).where("id", "=", id).executeTakeFirst()) ?? null),
    lastCycle: () =>
      read(async (db) => (await selectCycles(db).orderBy("id", "desc").limit(1).executeTakeFirst()) ?? null),

    tally: (slugs) =>
      read(async (db) => {
        const tallies: Tally[] = [];
        for (const slug of slugs) tallies.push(await tallyOf(db, slug));
        return tallies;
      }),

    cast: (vote) =>
      write(async (db) => {
        const used = await db
          .updateTable("nonces")
          .set({ usedAtMs: vote.castAtMs })
          .where("nonce", "=", vote.nonce)
          .where("purpose", "=", "vote")
          .where("usedAtMs", "is", null)
          .executeTakeFirstOrThrow();
        if (used.numUpdatedRows !== 1n) return "nonce_used";
        const cycle = await selectCycles(db).where("id", "=", vote.cycleId).executeTakeFirst();
        if (cycle === undefined || !isCycleOpen(cycle, vote.castAtMs)) return "closed";
        const inserted = await db
          .insertInto("votes")
          .values(vote)
          .onConflict((conflict) => conflict.columns(["gameSlug", "wallet"]).doNothing())
          .executeTakeFirstOrThrow();
        return inserted.numInsertedOrUpdatedRows === 1n ? "recorded" : "already_voted";
      }),

    ballots: (gameSlug, { page, limit }) =>
      read(async (db) => {
        const tally = await tallyOf(db, gameSlug);
        const items = await db
          .selectFrom("votes")
          .selectAll()
          .where("gameSlug", "=", gameSlug)
          .orderBy("castAtMs")
          .orderBy("wallet")
          .limit(limit)
          .offset((page - 1) * limit)
          .execute();
        return { items, total: tally.human + tally.aiAgent };
      }),

    findPlayed: (wallet, seconds, verification) =>
      read(async (db) => {
        const row = await selectSessions(db)
          .where("wallet", "=", wallet)
          .where(IS_RANKED)
          .where("verification", "=", verification)
          .where(
            sql<boolean>`tick > 0 and (tick >= ${seconds} * tick_hz or ended_at_ms - started_at_ms >= ${seconds * 1000})`,
          )
          .limit(1)
          .executeTakeFirst();
        return row === undefined ? null : toSessionRow(row);
      }),
  };
}
