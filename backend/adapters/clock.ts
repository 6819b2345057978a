import type { Clock } from "../ports.ts";

let lastMs = 0;

export const systemClock: Clock = {
  // A wall clock that was set back must not make what has expired valid again.
  nowMs: () => {
    lastMs = Math.max(lastMs, Date.now());
    return lastMs;
  },
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};
