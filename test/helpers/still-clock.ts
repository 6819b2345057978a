import { systemClock } from "../../backend/adapters/system/clock.ts";
import type { Clock } from "../../backend/ports/system.ts";

/**
 * A clock on which no time passes but what the test lets pass: no bucket of a limit fills up, and nothing becomes due,
 * while a busy machine works. Dates and timers are the system's.
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

  /** Lets time pass; timers continue as they are. */
  advance(ms: number): void {
    this.#monotonicMs += ms;
  }
}
