/** Reads the boards of the leaderboard: a row for each wallet on a board, and a row with the sums of each board. */
import { sql } from "kysely";
import type { Sort } from "../../../../domain/leaderboard.ts";
import {
  type BoardTotals,
  SEARCHED_STANDINGS,
  type StandingRow,
  type StandingStore,
} from "../../../ports/store/stats.ts";
import { HAS_SCORED } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import type { Db } from "../schema.ts";

/** The column that is sorted before score, earliest end and id. */
const SORT_COLUMNS: { readonly [sort in Sort]: "totalScore" | "sessions" | "lastPlayedAtMs" | null } = {
  score: null,
  totalScore: "totalScore",
  sessions: "sessions",
  recent: "lastPlayedAtMs",
};

const ZERO_TOTALS: BoardTotals = { players: 0, scorers: 0, sessions: 0, highScore: 0, totalScore: 0, playMs: 0 };

/** The sums of a board; zeros if no session was played. */
export async function readTotals(db: Db, board: string): Promise<BoardTotals> {
  const row = await db.selectFrom("boardTotals").selectAll().where("board", "=", board).executeTakeFirst();
  if (row === undefined) return ZERO_TOTALS;
  const { board: _, ...totals } = row;
  return totals;
}

const selectRows = (db: Db) =>
  db
    .selectFrom("standings")
    .leftJoin("profiles", "profiles.wallet", "standings.wallet")
    .selectAll("standings")
    .select("profiles.agentName as profileName")
    .select((eb) =>
      eb
        .selectFrom("sessions")
        .select("sessions.gameSessionHash")
        .whereRef("sessions.sessionId", "=", "standings.bestSessionId")
        .as("bestGameSessionHash"),
    );

async function search(db: Db, { board, text, limit }: Parameters<StandingStore["search"]>[0]) {
  const best = db
    .selectFrom("standings")
    .select("wallet")
    .where("board", "=", board)
    .orderBy("score", "desc")
    .orderBy("bestEndedAtMs")
    .orderBy("bestSessionId")
    .limit(SEARCHED_STANDINGS);
  const pattern = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const rows = await selectRows(db)
    .where("standings.board", "=", board)
    .where("standings.wallet", "in", best)
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(coalesce(profiles.agent_name, standings.agent_name)) like lower(${pattern}) escape '\\'`,
        eb("standings.agentId", "=", text),
        sql<boolean>`lower(standings.wallet) = lower(${text})`,
      ]),
    )
    .orderBy("standings.score", "desc")
    .orderBy("standings.bestEndedAtMs")
    .orderBy("standings.bestSessionId")
    .limit(limit)
    .execute();
  return rows.map(({ board: _, ...row }): StandingRow => row);
}

async function readPage(db: Db, { board, sort, hideZero, page, limit }: Parameters<StandingStore["getPage"]>[0]) {
  const { players, scorers } = await readTotals(db, board);
  const total = hideZero ? scorers : players;
  const offset = (page - 1) * limit;
  // Not past the last row of the result: there may be many rows behind it, all of them hidden.
  const rowCount = Math.min(limit, total - offset);
  if (rowCount <= 0) return { items: [], total };
  const sortColumn = SORT_COLUMNS[sort];
  const rows = await selectRows(db)
    .where("standings.board", "=", board)
    .$if(hideZero, (query) => query.where(HAS_SCORED))
    .$if(sortColumn !== null, (query) => query.orderBy(`standings.${sortColumn!}`, "desc"))
    .orderBy("standings.score", "desc")
    .orderBy("standings.bestEndedAtMs")
    .orderBy("standings.bestSessionId")
    .limit(rowCount)
    .offset(offset)
    .execute();
  return { items: rows.map(({ board: _, ...row }): StandingRow => row), total };
}

export function createStandingStore({ read }: Connection): StandingStore {
  return {
    getPage: (query) => read((db) => readPage(db, query)),
    getTotals: (board) => read((db) => readTotals(db, board)),
    search: (query) => read((db) => search(db, query)),
  };
}
