import type { Clock } from "../../backend/ports.ts";

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until the test moves it; timers fire in order, each seeing its own time. */
export class TestClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #order = 0;
  #timers: Timer[] = [];

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#monotonicMs + Math.max(0, delayMs), order: this.#order++, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves both clocks; timers that fall due run on the way, also those set meanwhile. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (;;) {
      const due = this.#timers
        .filter((timer) => timer.atMs <= endMs)
        .sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#shift(due.atMs - this.#monotonicMs);
      due.run();
    }
    this.#shift(endMs - this.#monotonicMs);
  }

  /** Moves the wall clock alone, as an administrator or NTP does. */
  jumpWall(ms: number): void {
    this.#nowMs += ms;
  }

  #shift(ms: number): void {
    this.#monotonicMs += ms;
    this.#nowMs += ms;
  }
}
