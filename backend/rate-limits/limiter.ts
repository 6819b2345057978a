import type { LimitPolicy } from "../../domain/limits/limits.ts";
import type { Clock, RateLimiter, RateLimitResult } from "../ports/system.ts";
import { TokenBucket } from "./token-bucket.ts";

/** The most buckets of a policy; beyond it the least recently used ones are removed, and start full again. */
const BUCKETS_MAX = 20_000;
/** A new bucket removes up to this many old ones that are full again: a full bucket limits nothing. */
const REMOVED_MAX = 8;

/** Token buckets in memory. */
export const createLimiter = (clock: Pick<Clock, "monotonicMs">, enabled: boolean): RateLimiter =>
  enabled ? new MemoryLimiter(clock) : new DisabledLimiter();

class MemoryLimiter implements RateLimiter {
  readonly enabled = true;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** By the name of a policy, then by key in order of use. */
  readonly #buckets = new Map<string, Map<string, TokenBucket>>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  get bucketCount(): number {
    let count = 0;
    for (const { size } of this.#buckets.values()) count += size;
    return count;
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

  take(policy: LimitPolicy, key: string): RateLimitResult {
    return this.consume(policy, key);
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
    const buckets = this.#buckets.get(name) ?? new Map<string, TokenBucket>();
    this.#buckets.set(name, buckets);
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      removeFull(buckets, nowMs);
      bucket = new TokenBucket(limit, limit / windowSeconds, nowMs);
    }
    // Inserted again, so that the map is in order of use.
    buckets.delete(key);
    buckets.set(key, bucket);
    return bucket;
  }
}

/** Removes full buckets among the least recently used ones, and one that is not full if there are too many. */
function removeFull(buckets: Map<string, TokenBucket>, nowMs: number): void {
  let removed = 0;
  for (const [key, bucket] of buckets) {
    const isRemoved = removed < REMOVED_MAX && (bucket.isFull(nowMs) || buckets.size >= BUCKETS_MAX);
    if (!isRemoved) return;
    buckets.delete(key);
    removed += 1;
  }
}

class DisabledLimiter implements RateLimiter {
  readonly enabled = false;
  readonly bucketCount = 0;

  consume({ limit }: LimitPolicy): RateLimitResult {
    return { allowed: true, limit, remaining: limit, resetSeconds: 1 };
  }

  take(policy: LimitPolicy): RateLimitResult {
    return this.consume(policy);
  }

  charge(): void {}

  refund(): void {}

  hasToken(): boolean {
    return true;
  }
}
