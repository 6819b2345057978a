import { systemClock } from "../../backend/adapters/clock.ts";
import type { Clock } from "../../backend/ports.ts";

/** The real wall clock, and intervals that pass `speed` times as fast: real games in less time, with real sockets. */
export const makeFastClock = (speed: number): Clock => ({
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs() * speed,
  after: (delayMs, run) => systemClock.after(delayMs / speed, run),
});
