/** The public rules run on a frame: what a player will see when the inputs that are on their way have taken effect. */
import type { Game, GameState, InputCode, PlayFrame } from "./game.ts";

/** A message that steers, or null for none. */
export type Move = InputCode["message"] | null;

/** The code a replay stores for a message, in a list; none for null and for a message that is never recorded. */
export function toCodes(game: Pick<Game, "slug" | "inputs">, message: Move): readonly number[] {
  if (message === null) return [];
  const found = game.inputs.find((input) =>
    Object.entries(input.message).every(([field, value]) => (message as { [field: string]: unknown })[field] === value),
  );
  if (!found) throw new RangeError(`${game.slug} has no input ${JSON.stringify(message)}`);
  return found.mode === "idle" ? [] : [found.code];
}

/**
 * The frame `ticks` ticks after this one. Everything in sight moves by the rules; what comes into sight later is missing.
 * `pendingMoves`: the message that takes effect in each of the next ticks, in order; ticks beyond the list have none.
 * Returns the frame itself where the game cannot be resumed from it. Throws `RangeError` for a message that the game does
 * not know and for `ticks` that are no whole number from 0 to 1200.
 */
export function runAhead(game: Game, frame: PlayFrame, pendingMoves: readonly Move[], ticks: number): PlayFrame {
  if (!Number.isInteger(ticks) || ticks < 0 || ticks > 1200)
    throw new RangeError(`ticks is a whole number from 0 to 1200, not ${ticks}`);
  if (game.resume === undefined || frame.exact === undefined || frame.phase === "ended") return frame;
  const state = game.resume(frame);
  for (let tick = 0; tick < ticks && !state.over; tick += 1)
    game.step(state, toCodes(game, pendingMoves[tick] ?? null));
  return toFrame(game, frame, state);
}

function toFrame(game: Game, base: PlayFrame, state: GameState): PlayFrame {
  const { extra, score, ...shown } = game.frame(state);
  return {
    ...base,
    ...extra,
    ...shown,
    tMs: Math.round((state.tick * 1000) / state.tickHz),
    phase: state.over ? "ended" : base.phase,
    score: { current: score, high: Math.max(base.score.high, score) },
  };
}
