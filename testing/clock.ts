import { systemClock } from "../backend/adapters/system/clock.ts";
import type { Clock } from "../backend/ports/system.ts";

/** The most that can pass between two readings: two ticks at 20 a second. */
const STEP_MAX_MS = 100;

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
  cancel: () => void;
}

/**
 * The system's time, which a test can advance. With `speed`, intervals and timers run that many times faster, so that
 * real games take less time; dates do not. After a stall the next reading of such a clock is at most two ticks later:
 * on a busy machine a game would otherwise continue without its player.
 */
export class ArcadeClock implements Clock {
  readonly #speed: number;
  readonly #timers = new Set<Timer>();
  #lastMs = systemClock.monotonicMs();
  #passedMs = 0;
  /** How far the clock is ahead of the system's. */
  offsetMs = 0;

  constructor(speed = 1) {
    this.#speed = speed;
  }

  nowMs(): number {
    return systemClock.nowMs() + this.offsetMs;
  }

  monotonicMs(): number {
    const nowMs = systemClock.monotonicMs();
    const passedMs = (nowMs - this.#lastMs) * this.#speed;
    this.#passedMs += this.#speed === 1 ? passedMs : Math.min(passedMs, STEP_MAX_MS);
    this.#lastMs = nowMs;
    return this.#passedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer: Timer = { atMs: this.monotonicMs() + delayMs, run, cancel: () => undefined };
    this.#timers.add(timer);
    this.#arm(timer, delayMs);
    return () => {
      timer.cancel();
      this.#timers.delete(timer);
    };
  }

  /** Advances the time at once and runs the timers that become due. */
  advance(ms: number): void {
    this.offsetMs += ms;
    this.#passedMs += ms;
    const nowMs = this.monotonicMs();
    for (const timer of this.#timers) {
      timer.cancel();
      this.#arm(timer, timer.atMs - nowMs);
    }
  }

  #arm(timer: Timer, delayMs: number): void {
    timer.cancel = systemClock.after(delayMs / this.#speed, () => {
      this.#timers.delete(timer);
      timer.run();
    });
  }
}

export const createFastClock = (speed: number): Clock => new ArcadeClock(speed);
