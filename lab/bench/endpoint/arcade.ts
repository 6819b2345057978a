/** Our side: the whole service. Only the limits for all signatures together and for a network are lifted. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { RateLimiter } from "../../../backend/ports/system.ts";
import { createLimiter } from "../../../backend/rate-limits/limiter.ts";
import type { LimitPolicy } from "../../../domain/limits/limits.ts";
import { serveSide } from "../server/process.ts";
import { type ServiceOptions, startService } from "../server/service.ts";

const FOLLOWED_WITHIN_MS = 60_000;

/** Counts as usual, but the buckets shared by all callers or by a network are large enough for the load. */
function raiseLimits(limiter: RateLimiter): RateLimiter {
  const raise = (policy: LimitPolicy): LimitPolicy =>
    policy.by === "all" || policy.by === "network" ? { ...policy, limit: 1_000_000 } : policy;
  return {
    ...{ enabled: true, bucketCount: 0 },
    consume: (policy, key, count) => limiter.consume(raise(policy), key, count),
    take: (policy, key) => limiter.take(raise(policy), key),
    charge: (policy, key, count) => limiter.charge(policy, key, count),
    refund: (policy, key, count) => limiter.refund(policy, key, count),
    hasToken: (policy, key) => limiter.hasToken(policy, key),
  };
}

/** Waits until the world's blocks are stored: requests to sign wait a second for them at most. */
async function waitUntilFollowed(url: string): Promise<void> {
  const untilMs = performance.now() + FOLLOWED_WITHIN_MS;
  for (;;) {
    const { chain } = (await (await fetch(`${url}/status`)).json()) as {
      readonly chain: { readonly healthy: boolean };
    };
    if (chain.healthy) return;
    if (performance.now() > untilMs) throw new Error("the service does not follow the chain");
    await sleep(50);
  }
}

serveSide<ServiceOptions>(async (options) => {
  const url = await startService(options, raiseLimits(createLimiter(systemClock, true)));
  await waitUntilFollowed(url);
  return url;
});
