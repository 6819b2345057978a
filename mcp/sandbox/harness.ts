/**
 * Runs inside the sandbox's own context, beside the policy: the rules of the games, and the calls of the policy. Only
 * text goes in and out, so that the policy never holds an object of Node's.
 */
import { toInputCodes } from "../../client/training/input-codes.ts";
import type { Bot, GameState, PlayFrame } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { toPlayFrame } from "../../games/play-frame.ts";

type Policy = (frame: PlayFrame, memory: object) => unknown;

// A policy may replace the built-in functions of its context; these stay as they were.
const { parse, stringify } = JSON;
const MESSAGE_CHARACTERS = 300;

let policy: Policy | null = null;
/** The policy's own notes of the run. */
let memory = {};

/** What failed, with the line of the policy; as JSON. */
export function describe(error: unknown): string {
  const { message, stack } = (error ?? {}) as { message?: unknown; stack?: unknown };
  const line = /policy\.js:(\d+)/.exec(String(stack))?.[1];
  const text = typeof message === "string" ? message : String(error);
  return stringify({ error: text.slice(0, MESSAGE_CHARACTERS), line: line === undefined ? null : Number(line) });
}

/** Takes the value of the policy's text, or the function `policy` that it declares. */
export function install(value: unknown, declared: unknown): boolean {
  const found = typeof value === "function" ? value : declared;
  policy = typeof found === "function" ? (found as Policy) : null;
  return policy !== null;
}

/** The policy's move for one frame, both as JSON. */
export function tick(frameText: string): string {
  try {
    return stringify({ move: policy!(parse(frameText) as PlayFrame, memory) ?? null });
  } catch (error) {
    return describe(error);
  }
}

const toBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** Plays the rules with one seed; as JSON, the score and the length of the run, or the place of the policy's error. */
export function simulate(slug: string, seed: string, ticksMax: number): string {
  const game = findGame(slug)!;
  const state: GameState = game.init(toBytes(seed), game.tickHz);
  const firstTier = game.nft.tiers[0]!.minScore;
  let firstTierTick: number | null = null;
  memory = {};
  try {
    while (!state.over && state.tick < ticksMax) {
      const move = (policy!(toPlayFrame(game, state), memory) ?? null) as ReturnType<Bot>;
      game.step(state, toInputCodes(game, move));
      if (firstTierTick === null && state.score >= firstTier) firstTierTick = state.tick;
    }
  } catch (error) {
    return stringify({ tick: state.tick, ...(parse(describe(error)) as object) });
  }
  return stringify({ score: state.score, ticks: state.tick, firstTierTick });
}
