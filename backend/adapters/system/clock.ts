import type { Clock } from "../../ports/system.ts";

/**
 * The pace of the returned time, relative to the monotonic clock, until a wall clock that was set back has caught up.
 * It neither stops, which would stop every expiry, nor goes back, which would make expired tokens valid.
 */
const CATCH_UP_PACE = 0.9;

/** A wall clock in milliseconds that follows `readWallMs` and never stands still or goes back. */
export function createSteadyWallClock(readWallMs: () => number, readMonotonicMs: () => number): () => number {
  let lastMs = readWallMs();
  let lastMonotonicMs = readMonotonicMs();
  return () => {
    const monotonicMs = readMonotonicMs();
    lastMs = Math.max(readWallMs(), lastMs + (monotonicMs - lastMonotonicMs) * CATCH_UP_PACE);
    lastMonotonicMs = monotonicMs;
    return Math.floor(lastMs);
  };
}

export const systemClock: Clock = {
  nowMs: createSteadyWallClock(Date.now, () => performance.now()),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};
