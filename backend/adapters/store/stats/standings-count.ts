/**
 * Updates the boards: a session counts from the transaction that verifies it until it is withheld. That transaction is
 * separate (`writeApart`): it locks the row of the session, then rows of boards in the order of `listBoardKeys`. With
 * sessions of two games in one transaction, two nodes could lock the same boards in different order.
 */
import { sql } from "kysely";
import type { Address } from "viem";
import { addToStanding, type CountedSession, listBoardKeys, type Standing } from "../../../../domain/leaderboard.ts";
import { IS_AGENT_SESSION, IS_VERIFIED } from "../conditions.ts";
import { publish } from "../facts.ts";
import type { Db } from "../schema.ts";
import { defineStatement } from "../statement.ts";

interface PlayedSession {
  readonly wallet: Address;
  readonly session: CountedSession;
}

const selectPlayedSessions = (db: Db) =>
  db
    .selectFrom("sessions")
    .select(["sessionId", "slug", "wallet", "score", "endedAtMs", "tick", "tickHz", "agentId", "agentName"])
    .where(IS_AGENT_SESSION);

type PlayedRow = Awaited<ReturnType<ReturnType<typeof selectPlayedSessions>["execute"]>>[number];

function toPlayedSession({ wallet, endedAtMs, tick, tickHz, ...session }: PlayedRow): PlayedSession {
  if (wallet === null || endedAtMs === null) throw new Error(`standings: session ${session.sessionId} is not complete`);
  return { wallet, session: { ...session, endedAtMs, playMs: Math.floor((tick * 1000) / tickHz) } };
}

type Place = { readonly board: string; readonly wallet: Address };

const selectStanding = defineStatement<Place, Standing>((db, { board, wallet }) =>
  db.selectFrom("standings").selectAll().where("board", "=", board).where("wallet", "=", wallet),
);

const findStanding = async (db: Db, board: string, wallet: Address): Promise<Standing | null> =>
  (await selectStanding(db, { board, wallet })).rows[0] ?? null;

const upsertStanding = defineStatement<Place & Standing, unknown>((db, values) => {
  const { score, bestEndedAtMs, bestSessionId, totalScore, sessions, lastPlayedAtMs, agentId, agentName } = values;
  const standing = { score, bestEndedAtMs, bestSessionId, totalScore, sessions, lastPlayedAtMs, agentId, agentName };
  return db
    .insertInto("standings")
    .values({ ...standing, board: values.board, wallet: values.wallet })
    .onConflict((conflict) => conflict.columns(["board", "wallet"]).doUpdateSet(standing));
});

interface Addition {
  readonly board: string;
  readonly players: number;
  readonly scorers: number;
  readonly score: number;
  readonly playMs: number;
}

const addToTotals = defineStatement<Addition, unknown>((db, { board, players, scorers, score, playMs }) =>
  db
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
    ),
);

const countScorer = (standing: Standing | null): number => (standing !== null && standing.score > 0 ? 1 : 0);

async function addToBoards(db: Db, { wallet, session }: PlayedSession): Promise<void> {
  publish(db, "standings");
  const { score, playMs } = session;
  for (const board of listBoardKeys(session)) {
    const before = await findStanding(db, board, wallet);
    const after = addToStanding(before, session);
    const players = before === null ? 1 : 0;
    const scorers = countScorer(after) - countScorer(before);
    await upsertStanding(db, { ...after, board, wallet });
    await addToTotals(db, { board, players, scorers, score, playMs });
  }
}

/** Counts a session that was verified; practice sessions do not count. */
export async function addSession(db: Db, sessionId: string): Promise<void> {
  const row = await selectPlayedSessions(db).where("sessionId", "=", sessionId).where(IS_VERIFIED).executeTakeFirst();
  if (row !== undefined) await addToBoards(db, toPlayedSession(row));
}

/** Removes a session from its boards: the wallet's standings are recomputed from its other sessions. */
export async function removeSession(db: Db, sessionId: string): Promise<void> {
  const row = await selectPlayedSessions(db).where("sessionId", "=", sessionId).executeTakeFirst();
  if (row === undefined) return;
  publish(db, "standings");
  const { wallet, session } = toPlayedSession(row);
  const others = (await selectPlayedSessions(db).where("wallet", "=", wallet).where(IS_VERIFIED).execute())
    .map(toPlayedSession)
    .filter((other) => other.session.sessionId !== sessionId);
  for (const board of listBoardKeys(session)) {
    const before = await findStanding(db, board, wallet);
    if (before === null) continue;
    const after = others
      .filter((other) => listBoardKeys(other.session).includes(board))
      .reduce<Standing | null>((standing, other) => addToStanding(standing, other.session), null);
    const ownStanding = db.deleteFrom("standings").where("board", "=", board).where("wallet", "=", wallet);
    await ownStanding.execute();
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
        scorers: sql<number>`scorers - ${countScorer(before) - countScorer(after)}`,
        sessions: sql<number>`sessions - 1`,
        highScore: best?.score ?? 0,
        totalScore: sql<number>`total_score - ${session.score}`,
        playMs: sql<number>`play_ms - ${session.playMs}`,
      })
      .where("board", "=", board)
      .execute();
  }
}
