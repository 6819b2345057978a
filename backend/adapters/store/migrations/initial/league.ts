/** The league: seasons with their rounds, and the policies and thinkers of the current season. */
import type { Kysely } from "kysely";
import { IS_CURRENT_SEASON, IS_PLAYED_SEASON } from "../../conditions.ts";
import { defineTable, indexesOf } from "../define-table.ts";

export async function createLeagueTables({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`leagueSeasons:
    slug text, season integer, opensAtMs bigint, closesAtMs bigint, serverSeed text, policiesDigest text?,
    blockNumber bigint?, blockHash text?, policies integer?, courses integer?, winner text?, finishedAtMs bigint?,
    round blob?`
    .addPrimaryKeyConstraint("leagueSeasonsKey", ["slug", "season"])
    .execute();
  const index = indexesOf(schema, "leagueSeasons");
  await index("oneCurrentSeason", ["slug"], IS_CURRENT_SEASON, true);
  await index("playedSeasons", ["slug", "season desc"], IS_PLAYED_SEASON);

  await defineTable(schema)`leaguePolicies:
    slug text, season integer, wallet text, agentId text, text text, digest text, bytes integer, submittedAtMs bigint`
    .addPrimaryKeyConstraint("onePolicyPerWalletAndSeason", ["slug", "season", "wallet"])
    .execute();

  await defineTable(schema)`leagueThinking:
    slug text, season integer, wallet text, agentId text, course integer, decisions text, decisionCount integer,
    score integer`
    .addPrimaryKeyConstraint("leagueThinkingKey", ["slug", "season", "wallet", "course"])
    .execute();
}
