/** The whole service as `serve` runs it on a public chain. Only the budget of all signatures is not bounded. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { createLog } from "../../../backend/adapters/system/log.ts";
import { startApp } from "../../../backend/app/app.ts";
import { readConfig } from "../../../backend/config/config.ts";
import { getDevelopmentKeys } from "../../../backend/config/service-keys.ts";
import type { RateLimiter } from "../../../backend/ports/system.ts";
import { openLimiter } from "../../../backend/rate-limits/open-limiter.ts";
import type { LimitPolicy } from "../../../domain/limits/limits.ts";
import type { EndpointOptions } from "./world.ts";

/** Counts as always; the bucket that all callers share is large enough for the load. */
function raiseLimits(limiter: RateLimiter): RateLimiter {
  const raise = (policy: LimitPolicy): LimitPolicy => (policy.by === "all" ? { ...policy, limit: 1_000_000 } : policy);
  return {
    enabled: true,
    bucketCount: 0,
    consume: (policy, key, count) => limiter.consume(raise(policy), key, count),
    take: (policy, key) => limiter.take(raise(policy), key),
    charge: (policy, key, count) => limiter.charge(policy, key, count),
    refund: (policy, key, count) => limiter.refund(policy, key, count),
    hasToken: (policy, key) => limiter.hasToken(policy, key),
  };
}

const FOLLOWED_WITHIN_MS = 60_000;

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

/** Returns the service's address. */
export async function startService(options: EndpointOptions): Promise<string> {
  const { rpcUrl, deployment, folder, mcp = "off", natsUrl = null } = options;
  const databaseUrl = options.databaseUrl ?? `sqlite:${options.databaseFile}`;
  const { limiter } = await openLimiter({
    databaseUrl,
    natsUrl,
    clock: systemClock,
    limitsOn: true,
    limiter: undefined,
  });
  const app = await startApp({
    config: readConfig({
      ARCADE_DATA_DIR: folder,
      ARCADE_DATABASE_URL: databaseUrl,
      ...(natsUrl === null ? {} : { ARCADE_NATS_URL: natsUrl }),
      ARCADE_PORT: "0",
      ARCADE_HOUSE_AGENTS: "off",
      ARCADE_MCP: mcp,
      ARCADE_RATE_LIMITS: "on",
      ARCADE_TRUST_PROXY: "true",
    }),
    keys: getDevelopmentKeys(),
    rpcUrl,
    deployment,
    log: createLog("info"),
    webDir: null,
    limiter: raiseLimits(limiter),
  });
  await waitUntilFollowed(app.httpUrl);
  return app.httpUrl;
}
