/** What a fair game must hold, measured over many seeds of its bots. */
import type { Bot, Game } from "../../games/game.ts";
import { getQuantile } from "../../scripts/evaluate/play.ts";
import { computeSeedShare, playDelayed, type Run, toFreshSeed } from "./delayed-play.ts";

/** How many seeds are played, and the limits of the bars that few seeds can miss. */
export interface Sizes {
  readonly seeds: number;
  /** Of the bot that searches. */
  readonly planned: number;
  /** Of the bots that are far away. */
  readonly delayed: number;
  /** For the share of the seed: seeds, runs of each, and the probability that a frame goes unanswered. */
  readonly share: { readonly seeds: number; readonly runs: number; readonly unanswered: number };
  readonly limits: {
    /** Seconds until 95 % of the runs without food are over. */
    readonly unfed: number;
    /** Percent of these runs whose last life hunger takes. */
    readonly ofHunger: number;
    /** Median points of the bot that searches, of the reference bot's. */
    readonly ratio: number;
    readonly share: number;
    /** Percent of the points at 0 ms that are kept at 100 ms, looking ahead. */
    readonly kept: number;
  };
}

export interface Bar {
  readonly name: string;
  readonly bar: string;
  readonly value: string;
  readonly isMet: boolean;
}

export interface Delays {
  /** Of the latency table. */
  readonly rows: readonly string[];
  /** What looking ahead must keep at 100 ms and at 300 ms. */
  readonly bars: readonly Bar[];
}

/** Measures some bars of a game on the seeds that follow from `master`. */
export type Measure = (game: Game, master: string, sizes: Sizes) => readonly Bar[];

const DELAYS_MS = [0, 100, 300, 600];
const HERE = { delayMs: 0, looksAhead: false, seesFood: true } as const;

const getMedian = (values: readonly number[]): number => getQuantile(values, 0.5);
const getPoints = (runs: readonly Run[]): readonly number[] => runs.map(({ score }) => score);
const getSeconds = (runs: readonly Run[]): readonly number[] => runs.map(({ seconds }) => seconds);
const isReached = ({ tier1Seconds }: Run): boolean => tier1Seconds !== null;
const percentOf = (runs: readonly Run[], is: (run: Run) => boolean): number =>
  (100 * runs.filter(is).length) / runs.length;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const getPointsPerMinute = (runs: readonly Run[]): number => (60 * sum(getPoints(runs))) / sum(getSeconds(runs));

const toBar = (name: string, bar: string, value: string, isMet: boolean): Bar => ({ name, bar, value, isMet });
const formatPercent = (value: number): string => `${value.toFixed(1)} %`;
const atMost = (name: string, most: number, percent: number): Bar =>
  toBar(name, `<= ${most} %`, formatPercent(percent), percent <= most);
const atLeast = (name: string, least: number, percent: number): Bar =>
  toBar(name, `>= ${least} %`, formatPercent(percent), percent >= least);

type CreateBot = (seed: number) => Bot;
const play = (game: Game, master: string, createBot: CreateBot, count: number, seesFood = true): readonly Run[] =>
  Array.from({ length: count }, (_, n) =>
    playDelayed(game, toFreshSeed(master, n), createBot(n), { ...HERE, seesFood }),
  );

const measureCheapBots: Measure = (game, master, { seeds }) => {
  const reference = play(game, master, game.bots.reference, seeds);
  const idle = play(game, master, () => () => null, seeds);
  const random = play(game, master, game.bots.random, seeds);
  const inTwoMinutes = percentOf(reference, ({ tier1Seconds }) => tier1Seconds !== null && tier1Seconds <= 120);
  const medianSeconds = getMedian(getSeconds(reference));
  return [
    atMost(
      "sends nothing: points a minute, of the reference bot's",
      5,
      (100 * getPointsPerMinute(idle)) / getPointsPerMinute(reference),
    ),
    atMost("sends nothing: first tier", 2, percentOf(idle, isReached)),
    atMost("random: first tier", 20, percentOf(random, isReached)),
    atLeast("reference: first tier within 2 minutes", 90, inTwoMinutes),
    toBar(
      "reference: median run",
      "about 120 s",
      `${medianSeconds.toFixed(0)} s`,
      medianSeconds > 90 && medianSeconds < 150,
    ),
  ];
};

/** Of runs of a bot that does not see food. */
const measureHunger: Measure = (game, master, { seeds, limits }) => {
  const unfed = play(game, master, game.bots.reference, seeds, false);
  const seconds = getQuantile(getSeconds(unfed), 0.95);
  const ofHunger = percentOf(unfed, ({ gameOverReason }) => gameOverReason === "starvation");
  return [
    toBar("reference without food: 95 % are over", "within 60 s", `${seconds.toFixed(0)} s`, seconds <= limits.unfed),
    toBar("reference without food: die of hunger", ">= 95 %", formatPercent(ofHunger), ofHunger >= limits.ofHunger),
  ];
};

const measureBetter: Measure = (game, master, { seeds, planned, limits }) => {
  const better = game.bots.better ? play(game, master, game.bots.better, planned) : [];
  const reference = play(game, master, game.bots.reference, seeds);
  const ratio = getMedian(getPoints(better)) / getMedian(getPoints(reference));
  const name = "better: median points, of the reference bot's";
  return [
    toBar(name, ">= 5 times", `${ratio.toFixed(1)} times`, ratio >= limits.ratio),
    atLeast(
      "better: runs that end within 15 minutes",
      95,
      percentOf(better, ({ seconds }) => seconds <= 900),
    ),
  ];
};

const measureShare: Measure = (game, master, { share, limits }) => {
  const value = computeSeedShare(game, `${master} share`, share);
  const name = "reference: share of the seed in the variance of points";
  return [toBar(name, "<= 0.25", value.toFixed(2), value <= limits.share)];
};

/** Everything but the delays, in parts that can be measured again one by one. */
export const MEASURES: readonly Measure[] = [measureCheapBots, measureHunger, measureBetter, measureShare];

/** The reference bot whose answers take effect later, by itself and looking ahead. */
export function measureDelays(game: Game, master: string, { delayed, limits }: Sizes): Delays {
  const shares = new Map<string, number>();
  let base = 0;
  const rows = DELAYS_MS.flatMap((delayMs) =>
    (delayMs === 0 ? [false] : [false, true]).map((looksAhead) => {
      const conditions = { delayMs, looksAhead, seesFood: true };
      const runs = Array.from({ length: delayed }, (_, n) =>
        playDelayed(game, toFreshSeed(`${master} delay`, n), game.bots.reference(), conditions),
      );
      const median = getMedian(getPoints(runs));
      if (delayMs === 0) base = median;
      const percent = (100 * median) / base;
      shares.set(`${delayMs} ${looksAhead}`, percent);
      const tier = percentOf(runs, isReached);
      const cells = [game.slug, `${delayMs} ms`, looksAhead ? "yes" : "no", median, `${percent.toFixed(0)} %`, `${tier.toFixed(1)} %`]; // biome-ignore format: a row
      return `| ${cells.join(" | ")} |`;
    }),
  );
  const bars = [
    atLeast("looking ahead at 100 ms: points, of those at 0 ms", limits.kept, shares.get("100 true")!),
    atLeast("looking ahead at 300 ms: points, of those at 0 ms", 80, shares.get("300 true")!),
  ];
  return { rows, bars };
}
