/** What the first page shows: who plays now, the run for the stage, today's best, and the records. */

import type { Answer, LeaderboardEntry, SessionRecord } from "../../client/api.ts";
import { games } from "../../games/index.ts";
import type { ListedRun } from "../components/runs-table.tsx";
import { loadRun } from "../replay/load-run.ts";
import type { Recording } from "../replay/recording.ts";
import { client } from "../wallet/service.ts";

const SESSIONS_PER_GAME = 12;
const TODAY_ROWS = 3;
const LATEST_ROWS = 5;

export interface LiveSessions {
  readonly sessions: readonly SessionRecord[];
  readonly total: number;
}

/** The sessions of every game, including those of demo agents, best scores first. */
export async function loadLive(signal: AbortSignal): Promise<LiveSessions> {
  const pages = await Promise.all(
    games.flatMap(({ slug }) => [
      client.sessions.live({ slug, limit: SESSIONS_PER_GAME }, { signal }),
      client.sessions.demo({ slug }, { signal }),
    ]),
  );
  return {
    sessions: pages.flatMap((page) => page.items).sort((one, other) => other.score - one.score),
    total: pages.reduce((sum, page) => sum + page.total, 0),
  };
}

/** What the stage shows. */
export type StageRun =
  | { readonly kind: "live"; readonly record: SessionRecord }
  | { readonly kind: "recorded"; readonly record: SessionRecord; readonly recording: Recording }
  | { readonly kind: "demo" };

type Run = Answer<"games.runs">["items"][number];

export interface Standings {
  /** The best agents of the day in each game: points of different games cannot be compared. */
  readonly today: readonly { readonly title: string; readonly entries: readonly LeaderboardEntry[] }[];
  /** The best run of each game. */
  readonly records: readonly { readonly slug: string; readonly title: string; readonly run: Run | null }[];
  /** The runs of every game that ended last. */
  readonly latest: readonly ListedRun[];
}

/** The runs of every game that ended last. `pages`: one for each game, in the order of `games`. */
export const listLatest = (pages: readonly Answer<"games.runs">[], max: number): readonly ListedRun[] =>
  pages
    .flatMap(({ items }, index) => items.map((run) => ({ ...run, slug: games[index]!.slug })))
    .sort((one, other) => Date.parse(other.endedAt) - Date.parse(one.endedAt))
    .slice(0, max);

export async function loadStandings(signal: AbortSignal): Promise<Standings> {
  const readRuns = (sort: "top" | "recent", limit: number) =>
    Promise.all(games.map(({ slug }) => client.games.runs({ slug, sort, limit }, { signal })));
  const [today, best, recent] = await Promise.all([
    Promise.all(
      games.map(({ slug: game }) =>
        client.stats.leaderboard({ game, period: "day", hideZero: true, limit: TODAY_ROWS }, { signal }),
      ),
    ),
    readRuns("top", 1),
    readRuns("recent", LATEST_ROWS),
  ]);
  const records = games.map(({ slug, title }, index) => ({ slug, title, run: best[index]?.items[0] ?? null }));
  return {
    today: games.map(({ title }, index) => ({ title, entries: today[index]!.items })),
    records,
    latest: listLatest(recent, LATEST_ROWS),
  };
}

export type BestRun = Run & { readonly slug: string };

/** The best run of any game. */
export function findBest({ records }: Pick<Standings, "records">): BestRun | null {
  const best = records.flatMap(({ slug, run }) => (run === null ? [] : [{ ...run, slug }]));
  return best.sort((one, other) => other.score - one.score)[0] ?? null;
}

/** The run for the stage if no session is running: the best one of any game. */
export async function loadRecorded(signal: AbortSignal): Promise<StageRun> {
  const top = findBest(await loadStandings(signal));
  if (top === null) return { kind: "demo" };
  const { record, run } = await loadRun(top.sessionId, signal);
  return run === null ? { kind: "demo" } : { kind: "recorded", record, recording: run.recording };
}
