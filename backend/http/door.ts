/** The door: token, then limits; in the order the interface promises. */
import type { Request, Response } from "express";
import { ArcadeError } from "../domain/errors.ts";
import type { Limiter } from "../ports.ts";
import type { Services } from "../services/services.ts";
import type { Caller, LimitPolicy, Route } from "./route.ts";

function bearerOf(request: Request): string | null {
  const header = request.get("authorization");
  if (header === undefined) return null;
  const match = /^Bearer ([\x21-\x7e]{1,256})$/.exec(header);
  if (match === null)
    throw new ArcadeError("TOKEN_INVALID", "Expected the header Authorization: Bearer <access token>.");
  return match[1]!;
}

/** Who calls, as far as the route wants to know. */
export async function identifyCaller(route: Route, request: Request, services: Services): Promise<Caller | null> {
  if (route.access === "public") return null;
  const token = bearerOf(request);
  if (token === null) {
    if (route.access === "optional") return null;
    throw new ArcadeError(
      "AUTH_REQUIRED",
      "Expected the header Authorization: Bearer <access token>; sign in at auth/nonce and auth/verify.",
    );
  }
  return services.auth.authenticate(token, route.access === "player");
}

/** IPv6 callers own a /64 at least, so that is what counts as one address (RFC 6177). */
export function ipKey(ip: string): string {
  const plain = ip.startsWith("::ffff:") ? ip.slice(7) : ip;
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(Math.max(0, missing)).fill("0"), ...right].slice(0, 4).join(":");
}

/** Takes from every bucket of the route for this address or wallet; refuses when one is empty. */
export function takeLimits(
  limiter: Limiter,
  policies: readonly LimitPolicy[],
  by: LimitPolicy["by"],
  key: string,
  response: Response,
): void {
  if (!limiter.enabled) return;
  for (const policy of policies) {
    if (policy.by !== by) continue;
    const verdict = limiter.take(policy.name, key, policy);
    response.append("RateLimit-Policy", `"${policy.name}";q=${policy.limit};w=${policy.windowSeconds}`);
    response.append("RateLimit", `"${policy.name}";r=${verdict.remaining};t=${verdict.resetSeconds}`);
    if (!verdict.allowed) {
      throw new ArcadeError(
        "RATE_LIMITED",
        `Expected at most ${policy.limit} requests in ${policy.windowSeconds} s per ${policy.by} (${policy.name}); try again in ${verdict.resetSeconds} s.`,
        { limit: policy.limit, windowSeconds: policy.windowSeconds, retryAfterSeconds: verdict.resetSeconds },
      );
    }
  }
}
