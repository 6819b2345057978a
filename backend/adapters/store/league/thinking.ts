/** Courses of the thinkers of a season. */
import type { Kysely } from "kysely";
import { compareThinkers } from "../../../../domain/league/thinking.ts";
import type { LeagueStore, SeasonId, ThinkingRow } from "../../../ports/store/league.ts";
import type { Connection } from "../connection.ts";
import { publish } from "../facts.ts";
import type { Db, Schema } from "../schema.ts";
import { findSeason } from "./seasons.ts";

const selectOf = (db: Kysely<Schema>, { slug, season }: SeasonId) =>
  db.selectFrom("leagueThinking").where("slug", "=", slug).where("season", "=", season);

async function isFull(db: Db, row: ThinkingRow, thinkersMax: number): Promise<boolean> {
  const known = await selectOf(db, row).select("course").where("wallet", "=", row.wallet).limit(1).execute();
  if (known.length > 0) return false;
  const { count } = await selectOf(db, row)
    .select((eb) => eb.fn.count("wallet").distinct().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count) >= thinkersMax;
}

type ThinkingStore = Pick<LeagueStore, "decide" | "findThinking" | "listThinking" | "listThinkers">;

export function createThinkingStore({ readOne, write }: Pick<Connection, "readOne" | "write">): ThinkingStore {
  return {
    decide: (row, { nowMs, thinkersMax }) =>
      write(async (db) => {
        const season = await findSeason(db, row);
        if (season === undefined || season.policiesDigest !== null || nowMs >= season.closesAtMs) return "closed";
        const { agentId, decisions, decisionCount, score } = row;
        if (decisionCount === 1) {
          if (await isFull(db, row, thinkersMax)) return "full";
          const { numInsertedOrUpdatedRows } = await db
            .insertInto("leagueThinking")
            .values(row)
            .onConflict((conflict) => conflict.columns(["slug", "season", "wallet", "course"]).doNothing())
            .executeTakeFirstOrThrow();
          if (numInsertedOrUpdatedRows !== 1n) return "late";
        } else {
          const { numUpdatedRows } = await db
            .updateTable("leagueThinking")
            .set({ agentId, decisions, decisionCount, score })
            .where("slug", "=", row.slug)
            .where("season", "=", row.season)
            .where("wallet", "=", row.wallet)
            .where("course", "=", row.course)
            .where("decisionCount", "=", decisionCount - 1)
            .executeTakeFirstOrThrow();
          if (numUpdatedRows !== 1n) return "late";
        }
        publish(db, "league");
        return "stored";
      }),

    findThinking: (season, wallet, course) =>
      readOne(
        async (db) =>
          (await selectOf(db, season)
            .selectAll()
            .where("wallet", "=", wallet)
            .where("course", "=", course)
            .executeTakeFirst()) ?? null,
      ),
    listThinking: (season) =>
      readOne((db) => selectOf(db, season).selectAll().orderBy("wallet").orderBy("course").execute()),
    listThinkers: (season, limit) =>
      readOne(async (db) => {
        const rows = await selectOf(db, season)
          .select((eb) => [
            "wallet",
            eb.fn.max("agentId").as("agentId"),
            eb.fn.sum("score").as("points"),
            eb.fn.countAll().as("courses"),
            eb.fn.sum("decisionCount").as("decisions"),
          ])
          .groupBy("wallet")
          .execute();
        // A season has few thinkers, and no index has their sums.
        return rows
          .map(({ points, courses, decisions, ...row }) => ({
            ...row,
            points: Number(points),
            courses: Number(courses),
            decisions: Number(decisions),
          }))
          .sort(compareThinkers)
          .slice(0, limit);
      }),
  };
}
