import { systemClock } from "../../backend/adapters/system/clock.ts";
import type { Clock } from "../../backend/ports/system.ts";

/**
 * A clock that only the test advances: on a busy machine, no rate-limit bucket refills and nothing becomes due. Dates
 * and timers are the system's.
 */
export class StillClock implements Clock {
  #monotonicMs = 0;

  nowMs(): number {
    return systemClock.nowMs();
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, run: () => void): () => void {
    return systemClock.after(delayMs, run);
  }

  /** Advances the time. Timers are not affected. */
  advance(ms: number): void {
    this.#monotonicMs += ms;
  }
}
