/** Queries of community voting that several transactions share. */
import type { CandidateRow, CycleRow, Tally } from "../../../ports/store/voting.ts";
import { IS_UNSETTLED } from "../conditions.ts";
import type { Db } from "../schema.ts";

export const selectCycles = (db: Db) => db.selectFrom("votingCycles").selectAll();
export const selectCandidates = (db: Db) => db.selectFrom("votingCandidates").selectAll();

export const findUnsettled = async (db: Db): Promise<CycleRow | null> =>
  (await selectCycles(db).where(IS_UNSETTLED).executeTakeFirst()) ?? null;

export const findCandidate = async (db: Db, slug: string): Promise<CandidateRow | null> =>
  (await selectCandidates(db).where("slug", "=", slug).executeTakeFirst()) ?? null;

/** A game's votes by source. */
export async function countVotes(db: Db, gameSlug: string): Promise<Tally> {
  const rows = await db
    .selectFrom("votes")
    .select(["voteSource", (eb) => eb.fn.countAll<number>().as("count")])
    .where("gameSlug", "=", gameSlug)
    .groupBy("voteSource")
    .execute();
  const count = (source: string): number => Number(rows.find(({ voteSource }) => voteSource === source)?.count ?? 0);
  return { gameSlug, human: count("human"), aiAgent: count("ai_agent") };
}
