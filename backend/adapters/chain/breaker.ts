import type { Clock } from "../../ports.ts";

/** Failures in a row after which nobody is sent to the node any more. */
const FAILURES_MAX = 3;
/** How long it stays so; then one caller tries. */
const OPEN_MS = 1_000;

/** Circuit breaker: spares callers the wait for a node that has just failed others. */
export class Breaker {
  readonly #clock: Clock;
  #failures = 0;
  #closedAgainAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True where a caller may go on; in the half-open state for one caller a second. */
  admit(): boolean {
    if (this.#failures < FAILURES_MAX) return true;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#closedAgainAtMs) return false;
    this.#closedAgainAtMs = nowMs + OPEN_MS;
    return true;
  }

  succeed(): void {
    this.#failures = 0;
  }

  fail(): void {
    this.#failures += 1;
    this.#closedAgainAtMs = this.#clock.monotonicMs() + OPEN_MS;
  }
}
