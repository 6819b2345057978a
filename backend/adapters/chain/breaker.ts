import type { Clock } from "../../ports/system.ts";

/** The number of consecutive failures after which requests are rejected. */
const FAILURE_THRESHOLD = 3;
/** The time until one request is let through to test the node. */
const RESET_TIMEOUT_MS = 1_000;

/** Circuit breaker: while the node fails, requests are rejected at once instead of waiting for their deadline. */
export class CircuitBreaker {
  readonly #clock: Clock;
  #failures = 0;
  #retryAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a request may be sent; in the half-open state one each second. */
  allowRequest(): boolean {
    if (this.#failures < FAILURE_THRESHOLD) return true;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#retryAtMs) return false;
    this.#retryAtMs = nowMs + RESET_TIMEOUT_MS;
    return true;
  }

  recordSuccess(): void {
    this.#failures = 0;
  }

  recordFailure(): void {
    this.#failures += 1;
    // safeguard: retry-after-outage
    this.#retryAtMs = this.#clock.monotonicMs() + RESET_TIMEOUT_MS;
  }
}
