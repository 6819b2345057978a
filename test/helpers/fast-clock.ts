import { systemClock } from "../../backend/adapters/clock.ts";
import type { Clock } from "../../backend/ports/system.ts";

/** The real wall clock with intervals that are `speed` times shorter: real games on real sockets in less time. */
export const createFastClock = (speed: number): Clock => ({
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs() * speed,
  after: (delayMs, run) => systemClock.after(delayMs / speed, run),
});
