/** Interpolates frames: they arrive unevenly, 20 times a second, and the screen draws evenly, 60 times a second. */
import type { PlayFrame } from "../../games/game.ts";

/** What to draw: the way from `previous` to `frame`, of which `alpha` (0 to 1) is done. */
export interface Sample {
  readonly frame: PlayFrame;
  readonly previous: PlayFrame | null;
  readonly alpha: number;
  /** Where another player would be. */
  readonly ghost?: PlayFrame["pawn"] | null;
}

const FRAMES_MAX = 16;
/** A frame that comes this much later than the others starts a new count: the stream stood still. */
const STALL_MS = 400;
/** How quickly the count follows frames that come later and later (two clocks never run quite alike). */
const DRIFT_FACTOR = 0.005;

/** Plays a stream of frames back, a little behind the latest one, at the even pace of their ticks. */
export class Timeline {
  readonly #delayMs: number;
  #frames: PlayFrame[] = [];
  /** Local time minus play time of the frames that came quickest. */
  #offsetMs: number | null = null;
  #wasRepeated = false;

  /** `delayMs`: how far behind the latest frame; a tick or a little more hides an uneven stream. */
  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  get latest(): PlayFrame | null {
    return this.#frames.at(-1) ?? null;
  }

  /** `nowMs`: the monotonic time of arrival. */
  push(frame: PlayFrame, nowMs: number): void {
    const last = this.latest;
    if (last !== null && frame.tick < last.tick) {
      // After a crash the server continues from its last stored tick.
      this.#frames = [];
      this.#offsetMs = null;
    } else if (last !== null && frame.tick === last.tick) {
      this.#frames[this.#frames.length - 1] = frame;
      this.#wasRepeated = true;
      return;
    }
    const lagMs = nowMs - frame.tMs;
    const offsetMs = this.#offsetMs;
    if (offsetMs === null || this.#wasRepeated || lagMs < offsetMs || lagMs > offsetMs + STALL_MS)
      this.#offsetMs = lagMs;
    else this.#offsetMs = offsetMs + (lagMs - offsetMs) * DRIFT_FACTOR;
    this.#wasRepeated = false;
    this.#frames.push(frame);
    if (this.#frames.length > FRAMES_MAX) this.#frames.shift();
  }

  /** The picture of a moment, null before the first frame. Never guesses beyond the latest frame. */
  sample(nowMs: number): Sample | null {
    const frames = this.#frames;
    const last = frames.at(-1);
    if (last === undefined || this.#offsetMs === null) return null;
    const atMs = nowMs - this.#offsetMs - this.#delayMs;
    for (let i = frames.length - 1; i > 0; i -= 1) {
      const previous = frames[i - 1]!;
      const frame = frames[i]!;
      if (atMs < previous.tMs) continue;
      const alpha = Math.min(1, (atMs - previous.tMs) / (frame.tMs - previous.tMs));
      return { frame, previous, alpha };
    }
    return { frame: frames[0]!, previous: null, alpha: 1 };
  }
}
