import { systemClock } from "../../backend/adapters/clock.ts";
import type { Clock } from "../../backend/ports/system.ts";

/** The most that passes between two looks at the clock: two ticks at 20 a second. */
const STEP_MAX_MS = 100;

/**
 * The real wall clock with intervals that are `speed` times shorter: real games on real sockets in less time. A stall of
 * this process takes no longer than two ticks: on a busy machine a game would otherwise go on without its player.
 */
export function createFastClock(speed: number): Clock {
  let lastMs = systemClock.monotonicMs();
  let passedMs = 0;
  return {
    nowMs: () => systemClock.nowMs(),
    monotonicMs: () => {
      const nowMs = systemClock.monotonicMs();
      passedMs += Math.min((nowMs - lastMs) * speed, STEP_MAX_MS);
      lastMs = nowMs;
      return passedMs;
    },
    after: (delayMs, run) => systemClock.after(delayMs / speed, run),
  };
}
