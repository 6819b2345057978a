import type { Clock, RateLimiter } from "../ports/system.ts";
import { createLimiter } from "./limiter.ts";

export interface LimiterOptions {
  readonly databaseUrl: string;
  /** Null for a backend that shares its database with no other one: it counts in memory. */
  readonly natsUrl: string | null;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly limitsOn: boolean;
  /** Takes the place of all others. */
  readonly limiter: RateLimiter | undefined;
}

/** The limits of a backend; in a fleet with the buckets that all backends share. */
export async function openLimiter(
  options: LimiterOptions,
): Promise<{ readonly limiter: RateLimiter; close(): Promise<void> }> {
  const { databaseUrl, natsUrl, clock, limitsOn } = options;
  const limiter = options.limiter ?? createLimiter(clock, limitsOn);
  if (natsUrl === null || !limiter.enabled || options.limiter !== undefined)
    return { limiter, close: async () => undefined };
  // Loaded only when it is used.
  const { createSharedLimiter } = await import("./shared-limiter.ts");
  const shared = createSharedLimiter({ databaseUrl, own: limiter, clock });
  return { limiter: shared, close: () => shared.close() };
}
