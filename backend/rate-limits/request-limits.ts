/** The rate limits of one request. */

import { toPrefixKey } from "../../domain/limits/address-keys.ts";
import { createLimitError } from "../../domain/limits/limit-error.ts";
import type { LimitPolicy } from "../../domain/limits/limits.ts";
import type { RateLimiter, RateLimitResult } from "../ports/system.ts";

/** Who a request's buckets belong to. */
export type LimitedCaller =
  | { readonly kind: "wallet"; readonly wallet: string }
  | { readonly kind: "practice"; readonly tokenHash: string }
  | { readonly kind: "admin" };

interface LimitedRoute {
  readonly limits: readonly LimitPolicy[];
}

/** The wallet, or practice token, of a caller; without a token the wallet that the body names; null without any. */
export function getCallerKey(caller: LimitedCaller | null, body: unknown): string | null {
  if (caller?.kind === "admin") return null;
  if (caller !== null) return caller.kind === "wallet" ? caller.wallet : caller.tokenHash;
  const { walletAddress, message } = (body ?? {}) as { walletAddress?: unknown; message?: unknown };
  if (typeof walletAddress === "string") return walletAddress.toLowerCase();
  if (typeof message === "string") return /^0x[0-9a-f]{40}$/im.exec(message)?.[0].toLowerCase() ?? null;
  return null;
}

/** Adds what is left of a bucket, and its limit, to the headers of a response. */
function addHeaders(headers: string[], { name, limit, windowSeconds }: LimitPolicy, result: RateLimitResult): void {
  headers.push("RateLimit-Policy", `"${name}";q=${limit};w=${windowSeconds}`);
  headers.push("RateLimit", `"${name}";r=${result.remaining};t=${result.resetSeconds}`);
}

/** Takes from the buckets of a route whose buckets are all of the address: false if one is empty. */
export function tryTakeOfAddress(limiter: RateLimiter, route: LimitedRoute, ip: string, headers: string[]): boolean {
  if (!limiter.enabled) return true;
  for (const policy of route.limits) {
    const result = limiter.consume(policy, ip);
    addHeaders(headers, policy, result);
    if (!result.allowed) return false;
  }
  return true;
}

/**
 * Takes from the buckets of a route. The buckets of the address and of an authenticated caller are taken before the body
 * is read; those that depend on the body after it was checked, and those of all callers together last.
 */
export class RequestLimits {
  readonly #limiter: RateLimiter;
  readonly #policies: readonly LimitPolicy[];
  readonly #ip: string;
  readonly #caller: LimitedCaller | null;
  readonly #headers: string[];

  constructor(
    limiter: RateLimiter,
    route: LimitedRoute,
    facts: {
      readonly ip: string;
      readonly caller: LimitedCaller | null;
      /** Of the response, names and values in turn. */
      readonly headers: string[];
    },
  ) {
    this.#limiter = limiter;
    this.#policies = limiter.enabled ? route.limits : [];
    this.#ip = facts.ip;
    this.#caller = facts.caller;
    this.#headers = facts.headers;
  }

  async takeBeforeBody(): Promise<void> {
    const callerKey = getCallerKey(this.#caller, null);
    for (const policy of this.#policies) {
      // Without a token only practice sessions can be started.
      const isTaken = policy.source === undefined || this.#caller === null;
      if (policy.by === "ip" && isTaken) await this.#take(policy, this.#ip);
      if (policy.by === "network") await this.#take(policy, toPrefixKey(this.#ip));
      if (policy.by === "wallet" && callerKey !== null) await this.#take(policy, callerKey);
    }
  }

  /** A wallet that the body only names is limited at this address, so that no other address can use up its bucket. */
  async takeAfterBody(body: unknown): Promise<void> {
    const namedWallet = this.#caller === null ? getCallerKey(null, body) : null;
    const { source } = (body ?? {}) as { source?: unknown };
    for (const policy of this.#policies) {
      if (policy.by === "wallet" && namedWallet !== null) await this.#take(policy, `${namedWallet}@${this.#ip}`);
      const isOfSource = policy.source !== undefined && policy.source === source;
      if (policy.by === "ip" && isOfSource && this.#caller !== null) await this.#take(policy, this.#ip);
    }
  }

  /** Call it when the caller's identity was checked, so that callers without one cannot use these buckets up. */
  async takeOfAll(): Promise<void> {
    for (const policy of this.#policies) if (policy.by === "all") await this.#take(policy, "");
  }

  async #take(policy: LimitPolicy, key: string): Promise<void> {
    const result = await this.#limiter.take(policy, key);
    addHeaders(this.#headers, policy, result);
    if (!result.allowed) throw createLimitError(policy, result);
  }
}
