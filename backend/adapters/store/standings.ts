/** Reads the boards of the leaderboard: a row a wallet and board, a row of sums a board (standings-count.ts). */
import type { Sort } from "../../domain/leaderboard.ts";
import type { BoardTotals, StandingRow, StandingStore } from "../../ports.ts";
import { HAS_SCORED } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";

/** What decides before score, earliest end and id. */
const FIRST_BY: { readonly [sort in Sort]: "totalScore" | "sessions" | "lastPlayedAtMs" | null } = {
  score: null,
  totalScore: "totalScore",
  sessions: "sessions",
  recent: "lastPlayedAtMs",
};

const EMPTY: BoardTotals = { players: 0, scorers: 0, sessions: 0, highScore: 0, totalScore: 0, playMs: 0 };

async function readTotals(db: Db, board: string): Promise<BoardTotals> {
  const row = await db.selectFrom("boardTotals").selectAll().where("board", "=", board).executeTakeFirst();
  if (row === undefined) return EMPTY;
  const { board: _, ...totals } = row;
  return totals;
}

async function readPage(db: Db, { board, sort, hideZero, page, limit }: Parameters<StandingStore["page"]>[0]) {
  const { players, scorers } = await readTotals(db, board);
  const total = hideZero ? scorers : players;
  const offset = (page - 1) * limit;
  // Never past the last row that is wanted: the rows behind it may be many, and all of them hidden.
  const wanted = Math.min(limit, total - offset);
  if (wanted <= 0) return { items: [], total };
  const first = FIRST_BY[sort];
  const rows = await db
    .selectFrom("standings")
    .leftJoin("profiles", "profiles.wallet", "standings.wallet")
    .selectAll("standings")
    .select("profiles.agentName as profileName")
    .where("standings.board", "=", board)
    .$if(hideZero, (query) => query.where(HAS_SCORED))
    .$if(first !== null, (query) => query.orderBy(`standings.${first!}`, "desc"))
    .orderBy("standings.score", "desc")
    .orderBy("standings.bestEndedAtMs")
    .orderBy("standings.bestSessionId")
    .limit(wanted)
    .offset(offset)
    .execute();
  return { items: rows.map(({ board: _, ...row }): StandingRow => row), total };
}

export function makeStandingStore({ read }: Connection): StandingStore {
  return {
    page: (query) => read((db) => readPage(db, query)),
    totals: (board) => read((db) => readTotals(db, board)),
  };
}
