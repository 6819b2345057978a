import { ArcadeError } from "../errors.ts";
import type { LimitPolicy } from "./limits.ts";

const OWNERS = { ip: "per address", network: "per network", wallet: "per wallet", all: "in all" } as const;

/** The error of an empty bucket. `resetSeconds`: until it has a token again. */
export function createLimitError(
  { name, by, limit, windowSeconds }: LimitPolicy,
  { resetSeconds }: { readonly resetSeconds: number },
): ArcadeError {
  return new ArcadeError(
    "RATE_LIMITED",
    `Expected at most ${limit} requests in ${windowSeconds} s ${OWNERS[by]} (${name}); try again in ${resetSeconds} s.`,
    { limit, windowSeconds, retryAfterSeconds: resetSeconds },
  );
}
