/** The rows of the table in docs/games.md: the results of a bot's runs. */
import { type BotRun, getQuantile } from "./play.ts";

const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;

export interface Evaluation {
  readonly slug: string;
  readonly bot: string;
  readonly runs: number;
  /** Quantiles 5, 25, 50, 75 and 95 % of the seconds survived, and of the points. */
  readonly seconds: readonly number[];
  readonly points: readonly number[];
  /** Share of the runs that reached the first NFT tier, in percent, and the median game time when they did. */
  readonly firstTierPercent: number;
  readonly firstTierMedianSeconds: number | null;
}

const getQuantiles = (values: readonly number[]): readonly number[] =>
  QUANTILES.map((quantile) => getQuantile(values, quantile));

export function summarizeRuns(slug: string, bot: string, runs: readonly BotRun[]): Evaluation {
  const reached = runs.flatMap((run) => run.tier1Seconds ?? []);
  return {
    slug,
    bot,
    runs: runs.length,
    seconds: getQuantiles(runs.map((run) => Math.round(run.seconds))),
    points: getQuantiles(runs.map((run) => run.state.score)),
    firstTierPercent: (100 * reached.length) / runs.length,
    firstTierMedianSeconds: reached.length > 0 ? getQuantile(reached, 0.5) : null,
  };
}

export const TABLE_HEAD = [
  "| game | bot | seconds survived | points | first tier | reached at, median |",
  "|---|---|---|---|---|---|",
] as const;

export function formatRow(evaluation: Evaluation): string {
  const { slug, bot, seconds, points, firstTierPercent, firstTierMedianSeconds } = evaluation;
  const median = firstTierMedianSeconds === null ? "never" : `${firstTierMedianSeconds} s`;
  const cells = [slug, bot, seconds.join(" / "), points.join(" / "), `${firstTierPercent.toFixed(1)} %`, median];
  return `| ${cells.join(" | ")} |`;
}
