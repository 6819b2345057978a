/** Interpolates frames: they arrive unevenly, 20 times a second, and the screen draws evenly, 60 times a second. */
import type { PlayFrame } from "../../games/game.ts";

/** What to draw: the interpolation between `previous` and `frame` at `alpha` (0 to 1). */
export interface Sample {
  readonly frame: PlayFrame;
  readonly previous: PlayFrame | null;
  readonly alpha: number;
  /** Where another player would be, drawn as an outline. */
  readonly ghost?: PlayFrame["pawn"] | null;
}

const FRAMES_MAX = 16;
/** A frame that is this much later than expected resets the timing, because the stream had stalled. */
const STALL_MS = 400;
/** How quickly the timing follows frames that arrive later and later, since clocks drift. */
const DRIFT_FACTOR = 0.005;

/** Plays back a stream of frames at a constant tick rate, slightly behind the latest one. */
export class Timeline {
  readonly #delayMs: number;
  #frames: PlayFrame[] = [];
  /** Local time minus game time of the frames that arrived fastest. */
  #offsetMs: number | null = null;
  #wasRepeated = false;

  /** `delayMs`: the delay behind the latest frame. One tick or slightly more hides jitter. */
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

  /** The picture at a time, null before the first frame. Never extrapolates beyond the latest frame. */
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
