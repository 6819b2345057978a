/** Reads the boards of the leaderboard: a row for each wallet on a board, and a row with the sums of each board. */
import { type RawBuilder, sql } from "kysely";
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

const BY_SCORE = "standings.score desc, standings.best_ended_at_ms, standings.best_session_id";

const ORDERS: { readonly [sort in Sort]: RawBuilder<unknown> } = {
  score: sql.raw(BY_SCORE),
  totalScore: sql.raw(`standings.total_score desc, ${BY_SCORE}`),
  sessions: sql.raw(`standings.sessions desc, ${BY_SCORE}`),
  recent: sql.raw(`standings.last_played_at_ms desc, ${BY_SCORE}`),
};

const ZERO_TOTALS: BoardTotals = { players: 0, scorers: 0, sessions: 0, highScore: 0, totalScore: 0, playMs: 0 };

/** The sums of a board; zeros if no session was played. */
export async function readTotals(db: Db, board: string): Promise<BoardTotals> {
  const row = await db.selectFrom("boardTotals").selectAll().where("board", "=", board).executeTakeFirst();
  if (row === undefined) return ZERO_TOTALS;
  const { board: _, ...totals } = row;
  return totals;
}

/** The wallets of a board in an order, using only its index. */
const selectWallets = (db: Db, board: string, sort: Sort) =>
  db.selectFrom("standings").select("standings.wallet").where("standings.board", "=", board).orderBy(ORDERS[sort]);

/** The rows of a few wallets of a board: names and hashes are looked up only for these. */
const selectRows = (db: Db, board: string, wallets: ReturnType<typeof selectWallets>) =>
  db
    .selectFrom(wallets.as("ofPage"))
    // SQLite reads the tables of a cross join in this order.
    .crossJoin("standings")
    .leftJoin("profiles", "profiles.wallet", "standings.wallet")
    .selectAll("standings")
    .select("profiles.agentName as profileName")
    .select((eb) =>
      eb
        .selectFrom("sessions")
        .select("sessions.gameSessionHash")
        .whereRef("sessions.sessionId", "=", "standings.bestSessionId")
        .as("bestGameSessionHash"),
    )
    .where("standings.board", "=", board)
    .whereRef("standings.wallet", "=", "ofPage.wallet");

async function search(db: Db, { board, text, limit }: Parameters<StandingStore["search"]>[0]) {
  const best = selectWallets(db, board, "score").limit(SEARCHED_STANDINGS);
  const pattern = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const rows = await selectRows(db, board, best)
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(coalesce(profiles.agent_name, standings.agent_name)) like lower(${pattern}) escape '\\'`,
        eb("standings.agentId", "=", text),
        sql<boolean>`lower(standings.wallet) = lower(${text})`,
      ]),
    )
    .orderBy(ORDERS.score)
    .limit(limit)
    .execute();
  return rows.map(({ board: _, ...row }): StandingRow => row);
}

async function readPage(db: Db, { board, sort, hideZero, page, limit }: Parameters<StandingStore["getPage"]>[0]) {
  const { players, scorers } = await readTotals(db, board);
  const total = hideZero ? scorers : players;
  const offset = (page - 1) * limit;
  // Not beyond the last row of the result: many hidden rows may follow.
  const rowCount = Math.min(limit, total - offset);
  if (rowCount <= 0) return { items: [], total };
  const ofPage = selectWallets(db, board, sort)
    .$if(hideZero, (query) => query.where(HAS_SCORED))
    .limit(rowCount)
    .offset(offset);
  const rows = await selectRows(db, board, ofPage).orderBy(ORDERS[sort]).execute();
  return { items: rows.map(({ board: _, ...row }): StandingRow => row), total };
}

export function createStandingStore({ read }: Connection): StandingStore {
  return {
    getPage: (query) => read((db) => readPage(db, query)),
    getTotals: (board) => read((db) => readTotals(db, board)),
    search: (query) => read((db) => search(db, query)),
  };
}
