import type { Clock } from "../../../backend/ports/system.ts";

/** The machine's time, which a test can advance. Timers are not affected. */
export class ShiftClock implements Clock {
  #shiftMs = 0;
  #monotonicShiftMs = 0;

  nowMs(): number {
    return Date.now() + this.#shiftMs;
  }

  monotonicMs(): number {
    return performance.now() + this.#monotonicShiftMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = setTimeout(run, Math.max(0, delayMs));
    return () => clearTimeout(timer);
  }

  /** Shifts only the wall clock, like an administrator or NTP. */
  shiftWallClock(ms: number): void {
    this.#shiftMs += ms;
  }

  /** Advances both clocks. */
  advance(ms: number): void {
    this.#shiftMs += ms;
    this.#monotonicShiftMs += ms;
  }

  /** Runs with a shifted wall clock, and shifts it back. */
  async runWithWallShift<T>(shiftMs: number, run: () => Promise<T>): Promise<T> {
    this.shiftWallClock(shiftMs);
    try {
      return await run();
    } finally {
      this.shiftWallClock(-shiftMs);
    }
  }
}
