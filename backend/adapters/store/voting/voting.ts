/** Community voting: reading candidates, cycles and ballots, and casting votes. */
import { sql } from "kysely";
import { isCycleOpen } from "../../../../domain/voting.ts";
import type { Tally, VotingStore } from "../../../ports/store/voting.ts";
import { IS_RANKED } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { toFirst } from "../queries.ts";
import { selectSessions, toSessionRow } from "../sessions/rows.ts";
import { createVotingProcess } from "./process.ts";
import { countVotes, findCandidate, findUnsettled, selectCandidates, selectCycles } from "./rows.ts";

export function createVotingStore(connection: Connection): VotingStore {
  const { read, write } = connection;
  return {
    ...createVotingProcess(connection),

    findCandidate: (slug) => read((db) => findCandidate(db, slug)),
    listCandidates: (state) =>
      read(async (db) => {
        const all = selectCandidates(db).orderBy("appliedAtMs").orderBy("slug");
        return await (state === null ? all : all.where("state", "=", state)).execute();
      }),
    listCycleCandidates: (cycleId) =>
      read((db) =>
        selectCandidates(db).where("cycleId", "=", cycleId).orderBy("appliedAtMs").orderBy("slug").execute(),
      ),

    findUnsettledCycle: () => read(findUnsettled),
    findCycle: (id) => read(async (db) => (await selectCycles(db).where("id", "=", id).executeTakeFirst()) ?? null),
    findLastCycle: () =>
      read(async (db) => (await selectCycles(db).orderBy("id", "desc").limit(1).executeTakeFirst()) ?? null),

    countVotes: (slugs) =>
      read(async (db) => {
        const tallies: Tally[] = [];
        for (const slug of slugs) tallies.push(await countVotes(db, slug));
        return tallies;
      }),

    castVote: (vote) =>
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

    listBallots: (gameSlug, { page, limit }) =>
      read(async (db) => {
        const tally = await countVotes(db, gameSlug);
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

    findQualifyingSession: (wallet, seconds, verification) =>
      read(async (db) => {
        const played = selectSessions(db)
          .where("wallet", "=", wallet)
          .where(IS_RANKED)
          .where("verification", "=", verification)
          .where(
            sql<boolean>`tick > 0 and (tick >= ${seconds} * tick_hz or ended_at_ms - started_at_ms >= ${seconds * 1000})`,
          )
          .limit(1);
        return toFirst(await played.execute(), toSessionRow);
      }),
  };
}
