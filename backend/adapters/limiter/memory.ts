import type { Clock, Limiter, LimitVerdict } from "../../ports.ts";

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Buckets are forgotten, oldest first, beyond this; a forgotten one is a full one. */
const BUCKETS_MAX = 100_000;

/** Token buckets in memory: `limit` at once, refilled evenly over the window. */
export function makeLimiter(clock: Clock, enabled: boolean): Limiter {
  const buckets = new Map<string, Bucket>();
  return {
    enabled,
    take(name, key, { limit, windowSeconds }): LimitVerdict {
      const id = `${name}\n${key}`;
      const nowMs = clock.monotonicMs();
      const perMs = limit / (windowSeconds * 1000);
      const bucket = buckets.get(id) ?? { tokens: limit, atMs: nowMs };
      bucket.tokens = Math.min(limit, bucket.tokens + (nowMs - bucket.atMs) * perMs);
      bucket.atMs = nowMs;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      // Set again, so that the map stays in order of use.
      buckets.delete(id);
      buckets.set(id, bucket);
      if (buckets.size > BUCKETS_MAX) buckets.delete(buckets.keys().next().value!);
      const missing = allowed ? limit - bucket.tokens : 1 - bucket.tokens;
      return {
        allowed,
        limit,
        remaining: Math.floor(bucket.tokens),
        resetSeconds: Math.max(1, Math.ceil(missing / perMs / 1000)),
      };
    },
  };
}
