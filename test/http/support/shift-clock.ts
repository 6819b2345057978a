import type { Clock } from "../../../backend/ports.ts";

/** The machine's time, whose wall clock a test can move; timers and intervals go on as they are. */
export class ShiftClock implements Clock {
  #shiftMs = 0;

  nowMs(): number {
    return Date.now() + this.#shiftMs;
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = setTimeout(run, Math.max(0, delayMs));
    return () => clearTimeout(timer);
  }

  jumpWall(ms: number): void {
    this.#shiftMs += ms;
  }

  /** Runs with the wall clock moved, and moves it back. */
  async at<T>(shiftMs: number, run: () => Promise<T>): Promise<T> {
    this.jumpWall(shiftMs);
    try {
      return await run();
    } finally {
      this.jumpWall(-shiftMs);
    }
  }
}
