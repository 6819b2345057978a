import { systemClock } from "../../backend/adapters/system/clock.ts";
import type { Clock } from "../../backend/ports/system.ts";

/** The most that passes between two readings: two ticks at 20 a second. */
const STEP_MAX_MS = 100;

/**
 * A clock for real games on real sockets in less time: intervals and timers run `speed` times faster than the system's,
 * dates are the system's. However long this process stands still, the next reading is at most two ticks later than the
 * last one: on a busy machine a game would otherwise go on without its player.
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
