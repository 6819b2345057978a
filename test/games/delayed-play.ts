/** Runs of a bot that is far away, that does not see food, or that sometimes does not answer. */
import { createHash } from "node:crypto";
import { ahead } from "../../client/ahead.ts";
import { type Move, toCodes } from "../../games/ahead.ts";
import type { Bot, Game, PlayFrame } from "../../games/game.ts";
import { toPlayFrame } from "../../scripts/evaluate/play.ts";

export interface Run {
  readonly score: number;
  readonly seconds: number;
  readonly tier1Seconds: number | null;
  /** What took the last life, as the game names it; null if nothing did. */
  readonly gameOverReason: unknown;
}

export interface Conditions {
  /** Time from a frame until the answer takes effect, beyond the next tick. */
  readonly delayMs: number;
  readonly looksAhead: boolean;
  readonly seesFood: boolean;
  /** The probability that a frame goes unanswered, and the seed of these draws. */
  readonly unanswered?: { readonly probability: number; readonly toss: number };
}

const SECONDS_MAX = 1800;

export const toFreshSeed = (master: string, n: number): Uint8Array =>
  createHash("sha256").update(`${master} ${n}`).digest();

function createToss(from: number): () => number {
  let state = (Math.imul(from + 1, 2_654_435_761) + 12_345) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** Plays one run to its end, at most 30 minutes of game time. */
export function playDelayed(game: Game, seed: Uint8Array, bot: Bot, conditions: Conditions): Run {
  const { delayMs, looksAhead, seesFood, unanswered } = conditions;
  const state = game.init(seed, game.tickHz);
  const pending: Move[] = Array.from({ length: Math.round((delayMs * game.tickHz) / 1000) }, () => null);
  const toss = createToss(unanswered?.toss ?? 0);
  const firstTier = game.nft.tiers[0]!.minScore;
  let tier1Seconds: number | null = null;
  while (!state.over && state.tick < SECONDS_MAX * game.tickHz) {
    let frame: PlayFrame = toPlayFrame(game, state);
    if (!seesFood) frame = { ...frame, entities: frame.entities.filter((entity) => entity.class !== "food") };
    if (looksAhead) frame = ahead(frame, pending, pending.length);
    const isAnswered = toss() >= (unanswered?.probability ?? 0) && frame.phase === "running";
    pending.push(isAnswered ? bot(frame) : null);
    game.step(state, toCodes(game, pending.shift()!));
    if (tier1Seconds === null && state.score >= firstTier) tier1Seconds = state.tick / game.tickHz;
  }
  const { gameOverReason } = game.frame(state).extra;
  return { score: state.score, seconds: state.tick / game.tickHz, tier1Seconds, gameOverReason };
}

/**
 * The share of the seed in the variance of the reference bot's points: the variance between seeds over the whole, by a
 * one-way analysis of variance over runs that differ in which frames go unanswered.
 */
export function computeSeedShare(
  game: Game,
  master: string,
  { seeds, runs, unanswered }: { readonly seeds: number; readonly runs: number; readonly unanswered: number },
): number {
  const groups = Array.from({ length: seeds }, (_, n) =>
    Array.from({ length: runs }, (_, run) => {
      const tosses = { probability: unanswered, toss: n * runs + run };
      const conditions = { delayMs: 0, looksAhead: false, seesFood: true, unanswered: tosses };
      return playDelayed(game, toFreshSeed(master, n), game.bots.reference(), conditions).score;
    }),
  );
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const means = groups.map(mean);
  const squares = (values: readonly number[], center: number): number =>
    values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const between = (runs * squares(means, mean(means))) / (seeds - 1);
  const within = groups.reduce((sum, group, n) => sum + squares(group, means[n]!), 0) / (seeds * (runs - 1));
  const seedVariance = Math.max(0, (between - within) / runs);
  return seedVariance / (seedVariance + within);
}
