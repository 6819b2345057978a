/** Whole runs of a bot without a server: seeds, frames as in the channel, and results. */

import { BotRunner, type PlayBot } from "../../client/bot-runner.ts";
import { toInputCodes } from "../../client/training/input-codes.ts";
import type { Bot, Game, GameState, InputCode, PlayFrame } from "../../games/game.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import { settle } from "../agent/settle.ts";

export { toInputCodes } from "../../client/training/input-codes.ts";
export { getQuantile, toSeed } from "../../domain/evaluation.ts";
export { toPlayFrame } from "../../games/play-frame.ts";

export interface BotRun {
  readonly state: GameState;
  readonly seconds: number;
  /** Game time at which the first NFT tier was reached, or null. */
  readonly tier1Seconds: number | null;
  /** The codes of each tick. */
  readonly inputs: readonly (readonly number[])[];
}

/** A run in progress: gives frames, takes each tick's codes, and ends with the result. */
function* playRun(game: Game, seed: Uint8Array, tickHz: number): Generator<PlayFrame, BotRun, readonly number[]> {
  const state = game.init(seed, tickHz);
  const firstTier = game.nft.tiers[0]!.minScore;
  const inputs: (readonly number[])[] = [];
  let tier1Seconds: number | null = null;
  while (!state.over && state.tick < tickHz * 1800) {
    const codes = yield toPlayFrame(game, state);
    inputs.push(codes);
    game.step(state, codes);
    if (tier1Seconds === null && state.score >= firstTier) tier1Seconds = state.tick / tickHz;
  }
  return { state, seconds: state.tick / tickHz, tier1Seconds, inputs };
}

/** Plays a bot until the run ends, at most 30 minutes of game time. */
export function playBot(game: Game, seed: Uint8Array, bot: Bot, tickHz = game.tickHz): BotRun {
  const run = playRun(game, seed, tickHz);
  let turn = run.next();
  while (!turn.done) turn = run.next(toInputCodes(game, bot(turn.value)));
  return turn.value;
}

/**
 * Plays an author's bot, which may return promises; game time stands still while it thinks. Rejects with
 * `ArcadeBotError` if the bot throws or returns an invalid move.
 */
export async function playAuthorsBot(game: Game, seed: Uint8Array, bot: PlayBot): Promise<BotRun> {
  const runner = new BotRunner({ slug: game.slug, bot });
  const run = playRun(game, seed, game.tickHz);
  let turn = run.next();
  while (!turn.done) {
    let codes: readonly number[] = [];
    const pending = runner.onFrame(turn.value, (message) => {
      codes = toInputCodes(game, message as InputCode["message"]);
    });
    const { value: frame } = turn;
    if (pending !== undefined) await settle(pending, () => runner.createUnsettledError(frame));
    turn = run.next(codes);
  }
  return turn.value;
}
