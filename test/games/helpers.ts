/** What the tests of the games share: seeds, frames as they arrive over the channel, and whole runs. */
import { createHash } from "node:crypto";
import type { Bot, Game, GameState, PlayFrame } from "../../backend/games/game.ts";

/** Seed number n of the tests: 32 bytes, the same on every run. */
export const seedOf = (n: number): Uint8Array => createHash("sha256").update(`seed${n}`).digest();

/** A state's frame as a player receives it. */
export function toPlayFrame(game: Game, state: GameState): PlayFrame {
  const { extra, score, ...frame } = game.frame(state);
  return {
    v: 1,
    sessionId: "00000000-0000-7000-8000-000000000000",
    slug: game.slug,
    tMs: Math.floor((state.tick * 1000) / state.tickHz),
    phase: state.over ? "ended" : "running",
    score: { current: score, high: 0 },
    spectators: { current: 0, max: 50 },
    ...frame,
    ...extra,
  };
}

/** The code a replay stores for a bot's message; null is no message. */
export function codesOf(game: Game, message: ReturnType<Bot>): number[] {
  if (message === null) return [];
  const found = game.inputs.find((input) => JSON.stringify(input.message) === JSON.stringify(message));
  if (!found) throw new Error(`${game.slug} has no input ${JSON.stringify(message)}`);
  return found.mode === "idle" ? [] : [found.code];
}

export interface Run {
  readonly state: GameState;
  /** Seconds of game time. */
  readonly seconds: number;
  /** Game time at which the first NFT tier was reached, or null. */
  readonly tier1Seconds: number | null;
  /** The codes of each tick. */
  readonly inputs: readonly (readonly number[])[];
}

/** Plays a bot until the run ends, at most 30 minutes of game time. */
export function play(game: Game, seed: Uint8Array, bot: Bot, tickHz = game.tickHz): Run {
  const state = game.init(seed, tickHz);
  const firstTier = game.nft.tiers[0]!.minScore;
  const inputs: number[][] = [];
  let tier1Seconds: number | null = null;
  while (!state.over && state.tick < tickHz * 1800) {
    const codes = codesOf(game, bot(toPlayFrame(game, state)));
    inputs.push(codes);
    game.step(state, codes);
    if (tier1Seconds === null && state.score >= firstTier) tier1Seconds = state.tick / tickHz;
  }
  return { state, seconds: state.tick / tickHz, tier1Seconds, inputs };
}

/** The value below which a share of the sorted values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
