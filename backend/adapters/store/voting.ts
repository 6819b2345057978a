/** Community voting: reading candidates, cycles and ballots, and casting votes. */
import { sql } from "kysely";
import { isCycleOpen } from "../../domain/voting.ts";
import type { Tally, VotingStore } from "../../ports.ts";
import { IS_RANKED } from "./conditions.ts";
import type { Connection } from "./connection.ts";
import { selectSessions, toSessionRow } from "./session-rows.ts";
import { makeVotingProcess } from "./voting-process.ts";
import { findCandidate, findUnsettled, selectCandidates, selectCycles, tallyOf } from "./voting-rows.ts";

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
