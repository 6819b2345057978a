/** Rows of seasons, without their rounds. */
import type { Kysely } from "kysely";
import type { SeasonId, SeasonRow } from "../../../ports/store/league.ts";
import type { Db, Schema } from "../schema.ts";

const SEASON = [
  "slug",
  "season",
  "opensAtMs",
  "closesAtMs",
  "serverSeed",
  "policiesDigest",
  "blockNumber",
  "blockHash",
  "policies",
  "courses",
  "winner",
  "finishedAtMs",
] as const satisfies readonly (keyof SeasonRow)[];

export const selectSeasons = (db: Kysely<Schema>) => db.selectFrom("leagueSeasons").select(SEASON);

export const findSeason = (db: Db, { slug, season }: SeasonId) =>
  selectSeasons(db).where("slug", "=", slug).where("season", "=", season).executeTakeFirst();
