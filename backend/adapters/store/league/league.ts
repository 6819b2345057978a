/** Seasons of the league with their policies and rounds. */
import type { Kysely } from "kysely";
import { computePoliciesDigest } from "../../../../domain/league/round.ts";
import type { LeagueStore, NewSeason, SeasonId } from "../../../ports/store/league.ts";
import { IS_CURRENT_SEASON, IS_PLAYED_SEASON } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { publish } from "../facts.ts";
import type { Db, Schema } from "../schema.ts";
import { findSeason, selectSeasons } from "./seasons.ts";
import { createThinkingStore } from "./thinking.ts";

const selectOf = (db: Kysely<Schema>, { slug, season }: SeasonId) =>
  db.selectFrom("leaguePolicies").where("slug", "=", slug).where("season", "=", season);
const updateCurrent = (db: Db, { slug, season }: SeasonId) =>
  db.updateTable("leagueSeasons").where("slug", "=", slug).where("season", "=", season).where(IS_CURRENT_SEASON);

async function countPolicies(db: Kysely<Schema>, season: SeasonId): Promise<number> {
  const { count } = await selectOf(db, season)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function openSeason(db: Db, number: number, season: NewSeason): Promise<void> {
  publish(db, "league");
  await db
    .insertInto("leagueSeasons")
    .values({
      ...season,
      season: number,
      policiesDigest: null,
      blockNumber: null,
      blockHash: null,
      policies: null,
      courses: null,
      winner: null,
      finishedAtMs: null,
      round: null,
    })
    .onConflict((conflict) => conflict.columns(["slug", "season"]).doNothing())
    .execute();
}

export function createLeagueStore({ readOne, write, writeApart }: Connection): LeagueStore {
  return {
    ...createThinkingStore({ readOne, write }),
    findCurrent: (slug) =>
      readOne(
        async (db) =>
          (await selectSeasons(db).where("slug", "=", slug).where(IS_CURRENT_SEASON).executeTakeFirst()) ?? null,
      ),
    openFirst: (season) => write((db) => openSeason(db, 1, season)),
    countPolicies: (season) => readOne((db) => countPolicies(db, season)),

    submit: (policy, policiesMax) =>
      write(async (db) => {
        const season = await findSeason(db, policy);
        const isOpen = season !== undefined && season.policiesDigest === null;
        if (!isOpen || policy.submittedAtMs >= season.closesAtMs) return "closed";
        const former = await selectOf(db, policy)
          .select("digest")
          .where("wallet", "=", policy.wallet)
          .executeTakeFirst();
        if (former === undefined && (await countPolicies(db, policy)) >= policiesMax) return "full";
        publish(db, "league");
        const { agentId, text, digest, bytes, submittedAtMs } = policy;
        await db
          .insertInto("leaguePolicies")
          .values(policy)
          .onConflict((conflict) =>
            conflict.columns(["slug", "season", "wallet"]).doUpdateSet({ agentId, text, digest, bytes, submittedAtMs }),
          )
          .execute();
        return "stored";
      }),

    findPolicy: (season, wallet) =>
      readOne(
        async (db) => (await selectOf(db, season).selectAll().where("wallet", "=", wallet).executeTakeFirst()) ?? null,
      ),
    listPolicies: (season) =>
      readOne((db) =>
        selectOf(db, season)
          .select(["slug", "season", "wallet", "agentId", "digest", "bytes", "submittedAtMs"])
          .orderBy("wallet")
          .execute(),
      ),

    fixPolicies: (season, nowMs) =>
      write(async (db) => {
        const row = await findSeason(db, season);
        if (row === undefined || row.policiesDigest !== null || nowMs < row.closesAtMs) return;
        publish(db, "league");
        const policies = await selectOf(db, season).select(["wallet as id", "digest"]).execute();
        await updateCurrent(db, season)
          .set({ policiesDigest: computePoliciesDigest(policies) })
          .execute();
      }),
    setBlock: (season, { number, hash }) =>
      write(async (db) => {
        await updateCurrent(db, season)
          .set({ blockNumber: number, blockHash: hash })
          .where("blockNumber", "is", null)
          .execute();
      }),

    finish: (season, round, next) =>
      // Apart from others: the file of a round is large.
      writeApart(async (db) => {
        const { file = null, policies = null, courses = null, winner = null } = round ?? {};
        const { numUpdatedRows } = await updateCurrent(db, season)
          .set({ round: file, policies, courses, winner, finishedAtMs: next.opensAtMs })
          .executeTakeFirstOrThrow();
        if (numUpdatedRows !== 1n) return false;
        for (const table of ["leaguePolicies", "leagueThinking"] as const)
          await db.deleteFrom(table).where("slug", "=", season.slug).where("season", "=", season.season).execute();
        await openSeason(db, season.season + 1, next);
        return true;
      }),

    listPlayed: (slug, limit) =>
      readOne((db) =>
        selectSeasons(db)
          .where("slug", "=", slug)
          .where(IS_PLAYED_SEASON)
          .orderBy("season", "desc")
          .limit(limit)
          .execute(),
      ),
    findRound: ({ slug, season }) =>
      readOne(async (db) => {
        const row = await db
          .selectFrom("leagueSeasons")
          .select("round")
          .where("slug", "=", slug)
          .where("season", "=", season)
          .executeTakeFirst();
        return row?.round ?? null;
      }),
  };
}
