/** Keeps the boards: a session counts in the transaction that verifies it, and stops counting when it is withheld. */
import { sql } from "kysely";
import { addToStanding, boardsOf, type CountedSession, type Standing } from "../../domain/leaderboard.ts";
import type { Address } from "../../ports.ts";
import { IS_AGENT_SESSION, IS_VERIFIED } from "./conditions.ts";
import type { Db } from "./connection.ts";

interface Played {
  readonly wallet: Address;
  readonly session: CountedSession;
}

const selectPlayed = (db: Db) =>
  db
    .selectFrom("sessions")
    .select(["sessionId", "slug", "wallet", "score", "endedAtMs", "tick", "tickHz", "agentId", "agentName"])
    .where(IS_AGENT_SESSION);

type PlayedRow = Awaited<ReturnType<ReturnType<typeof selectPlayed>["execute"]>>[number];

function toPlayed({ wallet, endedAtMs, tick, tickHz, ...facts }: PlayedRow): Played {
  if (wallet === null || endedAtMs === null) throw new Error(`standings: session ${facts.sessionId} is not complete`);
  return { wallet, session: { ...facts, endedAtMs, playMs: Math.floor((tick * 1000) / tickHz) } };
}

const findStanding = async (db: Db, board: string, wallet: Address): Promise<Standing | null> =>
  (await db
    .selectFrom("standings")
    .selectAll()
    .where("board", "=", board)
    .where("wallet", "=", wallet)
    .executeTakeFirst()) ?? null;

const hasScored = (standing: Standing | null): number => (standing !== null && standing.score > 0 ? 1 : 0);

async function add(db: Db, { wallet, session }: Played): Promise<void> {
  const { score, playMs } = session;
  for (const board of boardsOf(session)) {
    const before = await findStanding(db, board, wallet);
    const after = addToStanding(before, session);
    const players = before === null ? 1 : 0;
    const scorers = hasScored(after) - hasScored(before);
    await db
      .insertInto("standings")
      .values({ ...after, board, wallet })
      .onConflict((conflict) => conflict.columns(["board", "wallet"]).doUpdateSet(after))
      .execute();
    await db
      .insertInto("boardTotals")
      .values({ board, players, scorers, sessions: 1, highScore: score, totalScore: score, playMs })
      .onConflict((conflict) =>
        conflict.column("board").doUpdateSet({
          players: sql<number>`board_totals.players + ${players}`,
          scorers: sql<number>`board_totals.scorers + ${scorers}`,
          sessions: sql<number>`board_totals.sessions + 1`,
          highScore: sql<number>`case when board_totals.high_score < ${score} then ${score} else board_totals.high_score end`,
          totalScore: sql<number>`board_totals.total_score + ${score}`,
          playMs: sql<number>`board_totals.play_ms + ${playMs}`,
        }),
      )
      .execute();
  }
}

/** Counts a session that has just been verified; practice counts nowhere. */
export async function countSession(db: Db, sessionId: string): Promise<void> {
  const row = await selectPlayed(db).where("sessionId", "=", sessionId).where(IS_VERIFIED).executeTakeFirst();
  if (row !== undefined) await add(db, toPlayed(row));
}

/** Takes a session off its boards that counted until now: what its wallet keeps is made of its other sessions. */
export async function uncountSession(db: Db, sessionId: string): Promise<void> {
  const row = await selectPlayed(db).where("sessionId", "=", sessionId).executeTakeFirst();
  if (row === undefined) return;
  const { wallet, session } = toPlayed(row);
  const others = (await selectPlayed(db).where("wallet", "=", wallet).where(IS_VERIFIED).execute())
    .map(toPlayed)
    .filter((other) => other.session.sessionId !== sessionId);
  for (const board of boardsOf(session)) {
    const before = await findStanding(db, board, wallet);
    if (before === null) continue;
    const after = others
      .filter((other) => boardsOf(other.session).includes(board))
      .reduce<Standing | null>((standing, other) => addToStanding(standing, other.session), null);
    const own = db.deleteFrom("standings").where("board", "=", board).where("wallet", "=", wallet);
    await own.execute();
    if (after !== null) {
      await db
        .insertInto("standings")
        .values({ ...after, board, wallet })
        .execute();
    }
    const best = await db
      .selectFrom("standings")
      .select("score")
      .where("board", "=", board)
      .orderBy("score", "desc")
      .limit(1)
      .executeTakeFirst();
    await db
      .updateTable("boardTotals")
      .set({
        players: sql<number>`players - ${after === null ? 1 : 0}`,
        scorers: sql<number>`scorers - ${hasScored(before) - hasScored(after)}`,
        sessions: sql<number>`sessions - 1`,
        highScore: best?.score ?? 0,
        totalScore: sql<number>`total_score - ${session.score}`,
        playMs: sql<number>`play_ms - ${session.playMs}`,
      })
      .where("board", "=", board)
      .execute();
  }
}

/** Makes all standings again, out of the stored sessions. */
export async function recountStandings(db: Db): Promise<void> {
  await db.deleteFrom("standings").execute();
  await db.deleteFrom("boardTotals").execute();
  const rows = await selectPlayed(db).where(IS_VERIFIED).orderBy("endedAtMs").execute();
  for (const row of rows) await add(db, toPlayed(row));
}
