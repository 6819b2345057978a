/** Looking ahead: predicts the frame in which an input that is sent now takes effect. */
import { type Move, runAhead } from "../games/ahead.ts";
import type { Bot, PlayFrame } from "../games/game.ts";
import { findGame } from "../games/index.ts";

/**
 * Runs the public rules on a frame and returns the frame `ticks` ticks later. Entities that come into sight later are
 * missing. `pendingInputs`: the message that takes effect in each of the next ticks, in order, null for none. Returns
 * the frame itself for a game or rules version that cannot run from a frame. Throws `RangeError` for an unknown
 * message, and for `ticks` that are not a whole number from 0 to 1200.
 */
export function ahead(frame: PlayFrame, pendingInputs: readonly Move[], ticks: number): PlayFrame {
  const game = findGame(frame.slug);
  return game === undefined ? frame : runAhead(game, frame, pendingInputs, ticks);
}

/** How many measured delays are kept; the bot uses their median. */
const MEASURED = 9;
/** Nothing in sight is more than two seconds ahead. */
const SECONDS_MAX = 2;

interface SentMove {
  readonly seq: number;
  /** The tick of the frame that it answers. */
  readonly tick: number;
  readonly move: NonNullable<Move>;
}

/**
 * Wraps a bot so that it gets the frame in which its move takes effect. Measures the delay by the frames' `ackSeq`; its
 * messages carry a `seq`. Without a delay it plays like the bot itself.
 */
export function steerAhead(bot: Bot): Bot {
  let lastSeq = 0;
  let sent: SentMove[] = [];
  let delays: number[] = [];
  return (frame) => {
    const ackSeq = frame.ackSeq ?? 0;
    const applied = sent.filter(({ seq }) => seq <= ackSeq);
    if (applied.length > 0) {
      sent = sent.filter(({ seq }) => seq > ackSeq);
      delays = [...delays, ...applied.map(({ tick }) => Math.max(0, frame.tick - tick - 1))].slice(-MEASURED);
    }
    const median = [...delays].sort((a, b) => a - b)[Math.floor(delays.length / 2)] ?? 0;
    const { tickHz = 20 } = (frame.exact ?? {}) as { readonly tickHz?: number };
    const ticks = Math.min(median, SECONDS_MAX * tickHz);
    const pending: Move[] = Array.from({ length: ticks }, () => null);
    // An input that should have taken effect by now is late: expect it in the next tick.
    for (const { tick, move } of sent) {
      const index = Math.max(0, tick + ticks - frame.tick);
      if (index < ticks) pending[index] = move;
    }
    const expected = ahead(frame, pending, ticks);
    const move = bot(expected.phase === "ended" ? frame : expected);
    if (move === null) return null;
    lastSeq = Math.max(lastSeq, ackSeq) + 1;
    sent.push({ seq: lastSeq, tick: frame.tick, move });
    return Object.assign({ seq: lastSeq }, move);
  };
}
