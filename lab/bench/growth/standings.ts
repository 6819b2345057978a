/** Fills the boards of the leaderboard in a few statements. */
import type { Address } from "viem";
import { splitIntoBatches } from "../../../backend/adapters/store/batches.ts";
import type { Db } from "../../../backend/adapters/store/schema.ts";
import { addToStanding, type CountedSession, listBoardKeys, type Standing } from "../../../domain/leaderboard.ts";

export interface PlayedSession {
  readonly wallet: Address;
  readonly session: CountedSession;
}

interface BoardSums {
  readonly standings: Map<Address, Standing>;
  sessions: number;
  totalScore: number;
  playMs: number;
}

function countSession(
  boards: Map<string, BoardSums>,
  { wallet, session }: PlayedSession,
  only: ReadonlySet<string>,
): void {
  for (const board of listBoardKeys(session)) {
    if (!only.has(board)) continue;
    const sums = boards.get(board) ?? { standings: new Map(), sessions: 0, totalScore: 0, playMs: 0 };
    boards.set(board, sums);
    sums.standings.set(wallet, addToStanding(sums.standings.get(wallet) ?? null, session));
    sums.sessions += 1;
    sums.totalScore += session.score;
    sums.playMs += session.playMs;
  }
}

async function storeBoard(db: Db, board: string, { standings, ...sums }: BoardSums): Promise<void> {
  const rows = [...standings].map(([wallet, standing]) => ({ ...standing, board, wallet }));
  for (const batch of splitIntoBatches(rows))
    await db
      .insertInto("standings")
      .values([...batch])
      .execute();
  const scores = rows.map(({ score }) => score);
  const highScore = scores.reduce((one, other) => Math.max(one, other), 0);
  const scorers = scores.filter((score) => score > 0).length;
  await db
    .insertInto("boardTotals")
    .values({ ...sums, board, players: rows.length, scorers, highScore })
    .execute();
}

/** Adds these sessions to empty boards: computes them in memory and writes each row once. */
export async function fillStandings(db: Db, played: Iterable<PlayedSession>, only: ReadonlySet<string>): Promise<void> {
  const boards = new Map<string, BoardSums>();
  for (const session of played) countSession(boards, session, only);
  for (const [board, sums] of boards) await storeBoard(db, board, sums);
}
