/** What the statistics page plots: runs by day, scores, and the contract's payouts read from the chain. */

import type { StatsSummary, Tokenomics } from "../../client/api.ts";
import { REWARD_TOKEN } from "../../domain/token.ts";
import { games } from "../../games/index.ts";
import { loadScript } from "../load-script.ts";
import { client } from "../wallet/service.ts";
import type { DayRow } from "./days.ts";

const RUNS_MAX = 100;

export interface GameActivity {
  readonly slug: string;
  readonly title: string;
  /** Scores, oldest first. */
  readonly scores: readonly number[];
  /** When the runs ended, in unix seconds and in the same order. */
  readonly endedAt: readonly number[];
}

export interface StatsData {
  readonly summary: StatsSummary;
  readonly tokenomics: Tokenomics;
  readonly activity: readonly GameActivity[];
}

async function loadActivity(slug: string, title: string, signal: AbortSignal): Promise<GameActivity> {
  const { items } = await client.games.runs({ slug, limit: RUNS_MAX }, { signal });
  const oldestFirst = [...items].reverse();
  return {
    slug,
    title,
    scores: oldestFirst.map(({ score }) => score),
    endedAt: oldestFirst.map(({ endedAt }) => Date.parse(endedAt) / 1000),
  };
}

/** Throws `ArcadeApiError`. */
export async function loadStats(signal: AbortSignal): Promise<StatsData> {
  const [summary, tokenomics, activity] = await Promise.all([
    client.stats.summary({}, { signal }),
    client.stats.tokenomics({}, { signal }),
    Promise.all(games.map(({ slug, title }) => loadActivity(slug, title, signal))),
  ]);
  return { summary, tokenomics, activity };
}

/** Tokens paid by day; null if the service lists no node, or if the node limits the block range. */
export const loadPaidByDay = (): Promise<readonly DayRow[] | null> =>
  loadScript(() => import("./paid-by-day.ts"))
    .then(({ loadPaid }) => loadPaid(REWARD_TOKEN.decimals))
    .catch(() => null);
