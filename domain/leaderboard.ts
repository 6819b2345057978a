/** Boards of the leaderboard: the boards that a session counts on, and how it changes its wallet's row. */
import { DAY_MS } from "./time.ts";

/** Calendar periods in UTC; a week begins on Monday, as in the rewards contract. */
export const PERIODS = ["day", "week", "month", "all"] as const;
export type Period = (typeof PERIODS)[number];

export const SORTS = ["score", "totalScore", "sessions", "recent"] as const;
export type Sort = (typeof SORTS)[number];

/** The first Monday after 1970-01-01, which was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const toIsoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function toBucket(period: Period, atMs: number): string {
  if (period === "all") return "all";
  if (period === "month") return `month:${toIsoDate(atMs).slice(0, 7)}`;
  if (period === "day") return `day:${toIsoDate(atMs)}`;
  const weeks = Math.floor((atMs - FIRST_MONDAY_MS) / (7 * DAY_MS));
  return `week:${toIsoDate(FIRST_MONDAY_MS + weeks * 7 * DAY_MS)}`;
}

/** The board of a game (null: of all games) for the period of `atMs`. */
export const toBoardKey = (slug: string | null, period: Period, atMs: number): string =>
  `${toBucket(period, atMs)}/${slug ?? "*"}`;

/** Key ranges of boards whose period ended before `atMs`: the first key, and the key after the last. */
export const listOverBoards = (atMs: number): readonly (readonly [string, string])[] =>
  PERIODS.filter((period) => period !== "all").map((period) => [`${period}:`, toBucket(period, atMs)]);

/** The first moment of the period of `atMs`, in milliseconds since 1970; 0 for `all`. */
export function getPeriodStartMs(period: Period, atMs: number): number {
  if (period === "all") return 0;
  const [, date = ""] = toBucket(period, atMs).split(":");
  return Date.parse(period === "month" ? `${date}-01` : date);
}

/** The number of the period of `atMs`: days since 1970, weeks since its first Monday, or 202611. */
export function toPeriodNumber(period: Exclude<Period, "all">, atMs: number): number {
  const startMs = getPeriodStartMs(period, atMs);
  if (period === "month") return Number(toIsoDate(startMs).slice(0, 7).replace("-", ""));
  return period === "day" ? startMs / DAY_MS : (startMs - FIRST_MONDAY_MS) / (7 * DAY_MS);
}

/** Orders of a list of runs: the latest end first, or the highest score first. */
export const RUN_SORTS = ["recent", "top"] as const;
export type RunSort = (typeof RUN_SORTS)[number];

/** The facts of a verified agent session that boards need. */
export interface CountedSession {
  readonly sessionId: string;
  readonly slug: string;
  readonly score: number;
  readonly endedAtMs: number;
  /** Time of play without pauses. */
  readonly playMs: number;
  readonly agentId: string | null;
  readonly agentName: string | null;
}

/** Every board a session counts on: of its game and of all games, in each period. */
export const listBoardKeys = ({ slug, endedAtMs }: Pick<CountedSession, "slug" | "endedAtMs">): readonly string[] =>
  [slug, null].flatMap((game) => PERIODS.map((period) => toBoardKey(game, period, endedAtMs)));

/** A wallet's sums on one board. */
export interface Standing {
  /** The best score, with the session that reached it first. */
  readonly score: number;
  readonly bestEndedAtMs: number;
  readonly bestSessionId: string;
  readonly totalScore: number;
  readonly sessions: number;
  readonly lastPlayedAtMs: number;
  /** As of the last session played. */
  readonly agentId: string | null;
  readonly agentName: string | null;
}

/** Whether a session goes before another: higher score, then earlier end, then lower id. */
export function ranksBefore(
  a: Pick<CountedSession, "score" | "endedAtMs" | "sessionId">,
  b: Pick<CountedSession, "score" | "endedAtMs" | "sessionId">,
): boolean {
  if (a.score !== b.score) return a.score > b.score;
  if (a.endedAtMs !== b.endedAtMs) return a.endedAtMs < b.endedAtMs;
  return a.sessionId < b.sessionId;
}

/** A wallet's row after one more session; sessions may come in any order. */
export function addToStanding(before: Standing | null, session: CountedSession): Standing {
  const { score, endedAtMs, sessionId, agentId, agentName } = session;
  const asBest = { score, bestEndedAtMs: endedAtMs, bestSessionId: sessionId };
  if (before === null) {
    return { ...asBest, totalScore: score, sessions: 1, lastPlayedAtMs: endedAtMs, agentId, agentName };
  }
  const currentBest = { score: before.score, endedAtMs: before.bestEndedAtMs, sessionId: before.bestSessionId };
  const isLatest = endedAtMs >= before.lastPlayedAtMs;
  return {
    ...before,
    ...(ranksBefore(session, currentBest) ? asBest : {}),
    totalScore: before.totalScore + score,
    sessions: before.sessions + 1,
    ...(isLatest ? { lastPlayedAtMs: endedAtMs, agentId, agentName } : {}),
  };
}
