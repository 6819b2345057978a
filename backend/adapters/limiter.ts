import type { LimitPolicy } from "../domain/limits/limits.ts";
import { TokenBucket } from "../domain/limits/token-bucket.ts";
import type { Clock, RateLimiter, RateLimitResult } from "../ports/system.ts";

/** The most buckets; beyond it the least recently used ones are removed, and start full again. */
const BUCKETS_MAX = 100_000;

/** Token buckets in memory. */
export const createLimiter = (clock: Pick<Clock, "monotonicMs">, enabled: boolean): RateLimiter =>
  enabled ? new MemoryLimiter(clock) : new DisabledLimiter();

class MemoryLimiter implements RateLimiter {
  readonly enabled = true;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  consume(policy: LimitPolicy, key: string, count = 1): RateLimitResult {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#getBucket(policy, key, nowMs);
    const allowed = bucket.take(count, nowMs);
    return {
      allowed,
      limit: policy.limit,
      remaining: Math.max(0, Math.floor(bucket.getTokens(nowMs))),
      resetSeconds: bucket.getWaitSeconds(allowed ? policy.limit : count, nowMs),
    };
  }

  charge(policy: LimitPolicy, key: string, count = 1): void {
    const nowMs = this.#clock.monotonicMs();
    this.#getBucket(policy, key, nowMs).charge(count, nowMs);
  }

  refund(policy: LimitPolicy, key: string, count = 1): void {
    const nowMs = this.#clock.monotonicMs();
    this.#getBucket(policy, key, nowMs).refund(count, nowMs);
  }

  hasToken(policy: LimitPolicy, key: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    return this.#getBucket(policy, key, nowMs).getTokens(nowMs) >= 1;
  }

  #getBucket({ name, limit, windowSeconds }: LimitPolicy, key: string, nowMs: number): TokenBucket {
    const id = `${name}\n${key}`;
    const bucket = this.#buckets.get(id) ?? new TokenBucket(limit, limit / windowSeconds, nowMs);
    // Inserted again, so that the map is in order of use.
    this.#buckets.delete(id);
    this.#buckets.set(id, bucket);
    if (this.#buckets.size > BUCKETS_MAX) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}

class DisabledLimiter implements RateLimiter {
  readonly enabled = false;

  consume({ limit }: LimitPolicy): RateLimitResult {
    return { allowed: true, limit, remaining: limit, resetSeconds: 1 };
  }

  charge(): void {}

  refund(): void {}

  hasToken(): boolean {
    return true;
  }
}
