/** Looking ahead: where the pawn will be when an input that is sent now takes effect. */
import { type Move, runAhead } from "../backend/games/ahead.ts";
import type { PlayFrame } from "../backend/games/game.ts";
import { findGame } from "../backend/games/index.ts";

/**
 * Runs the public rules on a frame: the frame `ticks` ticks later. Everything in sight moves as on the server; what comes
 * into sight later is missing. `pendingInputs`: the message that takes effect in each of the next ticks, in order, null
 * for none. Returns the frame itself for a game or rules that cannot be run from a frame. Throws `RangeError` for a
 * message that the game does not know and for `ticks` that are no whole number from 0 to 1200.
 */
export function ahead(frame: PlayFrame, pendingInputs: readonly Move[], ticks: number): PlayFrame {
  const game = findGame(frame.slug);
  return game === undefined ? frame : runAhead(game, frame, pendingInputs, ticks);
}
