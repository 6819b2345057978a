import type { Clock } from "../../backend/ports/system.ts";

interface Timer {
  readonly atMs: number;
  readonly sequence: number;
  readonly run: () => void;
}

/** A clock that only the test advances; timers run in order, each at its own time. */
export class TestClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #nextSequence = 0;
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
    const timer = { atMs: this.#monotonicMs + Math.max(0, delayMs), sequence: this.#nextSequence++, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Advances both clocks. Due timers run, including those that they set. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (;;) {
      const due = this.#timers
        .filter((timer) => timer.atMs <= endMs)
        .sort((a, b) => a.atMs - b.atMs || a.sequence - b.sequence)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#advanceBoth(due.atMs - this.#monotonicMs);
      due.run();
    }
    this.#advanceBoth(endMs - this.#monotonicMs);
  }

  /** Changes only the wall clock, like an administrator or NTP. */
  shiftWallClock(ms: number): void {
    this.#nowMs += ms;
  }

  #advanceBoth(ms: number): void {
    this.#monotonicMs += ms;
    this.#nowMs += ms;
  }
}
