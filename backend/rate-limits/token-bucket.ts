/** A token bucket: `capacity` tokens at once, refilled evenly by `tokensPerSecond`. Times are monotonic milliseconds. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #tokensPerMs: number;
  #tokens: number;
  #refilledAtMs: number;

  constructor(capacity: number, tokensPerSecond: number, nowMs: number) {
    this.#capacity = capacity;
    this.#tokensPerMs = tokensPerSecond / 1000;
    this.#tokens = capacity;
    this.#refilledAtMs = nowMs;
  }

  /** The tokens that are left; negative for a debt. */
  getTokens(nowMs: number): number {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (nowMs - this.#refilledAtMs) * this.#tokensPerMs);
    this.#refilledAtMs = nowMs;
    return this.#tokens;
  }

  /** A full bucket allows what a new one would. */
  isFull(nowMs: number): boolean {
    return this.getTokens(nowMs) >= this.#capacity;
  }

  /** Takes `count` tokens if there are as many. */
  take(count: number, nowMs: number): boolean {
    if (this.getTokens(nowMs) < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes `count` tokens in any case; the debt is at most the capacity. */
  charge(count: number, nowMs: number): void {
    this.#tokens = Math.max(-this.#capacity, this.getTokens(nowMs) - count);
  }

  /** Returns unused tokens. */
  refund(count: number, nowMs: number): void {
    this.#tokens = Math.min(this.#capacity, this.getTokens(nowMs) + count);
  }

  /** Seconds until there are `tokens` tokens, at least 1. */
  getWaitSeconds(tokens: number, nowMs: number): number {
    return Math.max(1, Math.ceil((tokens - this.getTokens(nowMs)) / this.#tokensPerMs / 1000));
  }
}
