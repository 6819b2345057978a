/** Authentication of a request. */
import type { Request } from "express";
import { ArcadeError } from "../../../domain/errors.ts";
import { createLimitError } from "../../../domain/limits/limit-error.ts";
import { ADDRESS_LIMITS } from "../../../domain/limits/limits.ts";
import type { RateLimiter } from "../../ports/system.ts";
import { hashToken } from "../../services/auth/tokens.ts";
import { checkOperatorToken } from "../../services/operations/operator.ts";
import type { HandlerServices } from "../routing/handler-services.ts";
import type { Caller, Route } from "../routing/route.ts";

/** The token of an Authorization header. The scheme's name may have any case (RFC 9110 §11.1). */
function parseBearerToken(header: string): string {
  const match = /^Bearer +([\x21-\x7e]{1,256})$/i.exec(header);
  if (match !== null) return match[1]!;
  const words = header.trim().split(/ +/);
  const scheme = words[0]!.toLowerCase() === "bearer" ? "Bearer" : "no Bearer";
  throw new ArcadeError(
    "TOKEN_INVALID",
    `Expected the header Authorization: Bearer <token>, received ${scheme} and ${words.length - 1} more words; send the word Bearer, a space and the token.`,
  );
}

interface TokenCheckers {
  readonly auth: Pick<HandlerServices["auth"], "authenticate">;
  readonly operator: Pick<HandlerServices["operator"], "adminToken">;
}

/** The maximum number of tokens remembered as valid. */
const KNOWN_TOKENS_MAX = 10_000;

/**
 * Looks up the tokens of requests. Each lookup first takes a token from the address's bucket of failed tokens and
 * returns it if the lookup succeeds, so that invalid tokens cost no lookup once the bucket is empty. A token that was
 * valid before takes none: invalid tokens of other callers at the same address do not affect its owner.
 */
export class Authenticator {
  readonly #auth: TokenCheckers["auth"];
  readonly #operator: TokenCheckers["operator"];
  readonly #limiter: RateLimiter;
  /** Hashes of tokens that were valid, least recently used first. */
  readonly #knownTokens = new Set<string>();

  constructor({ auth, operator }: TokenCheckers, limiter: RateLimiter) {
    this.#auth = auth;
    this.#operator = operator;
    this.#limiter = limiter;
  }

  /** The caller of a request; null if the route is public, or its token optional and absent. */
  async authenticate(route: Route, request: Request, ip: string): Promise<Caller | null> {
    if (route.access === "public") return null;
    const header = request.get("authorization");
    if (route.access === "admin") return this.#checkAdmin(header, ip);
    if (header !== undefined) return this.#findCaller(header, route.access === "player", ip);
    if (route.access === "optional") return null;
    throw new ArcadeError(
      "AUTH_REQUIRED",
      "Expected the header Authorization: Bearer <access token>; sign in at auth/nonce and auth/verify.",
    );
  }

  /** Wrong tokens take from the address's bucket; once it is empty, even the right token is rejected. */
  #checkAdmin(header: string | undefined, ip: string): Caller {
    const isBlocked = !this.#limiter.hasToken(ADDRESS_LIMITS.failedTokens, ip);
    if (isBlocked)
      throw createLimitError(ADDRESS_LIMITS.failedTokens, this.#limiter.consume(ADDRESS_LIMITS.failedTokens, ip));
    try {
      checkOperatorToken(this.#operator, header === undefined ? null : parseBearerToken(header));
    } catch (error) {
      if (error instanceof ArcadeError && error.code === "TOKEN_INVALID")
        this.#limiter.consume(ADDRESS_LIMITS.failedTokens, ip);
      throw error;
    }
    return { kind: "admin" };
  }

  async #findCaller(header: string, practiceAllowed: boolean, ip: string): Promise<Caller> {
    const tokenHash = hashToken(header);
    const isKnown = this.#knownTokens.delete(tokenHash);
    if (!isKnown) {
      const result = this.#limiter.consume(ADDRESS_LIMITS.failedTokens, ip);
      if (!result.allowed) throw createLimitError(ADDRESS_LIMITS.failedTokens, result);
    }
    let isTokenError = false;
    try {
      const caller = await this.#auth.authenticate(parseBearerToken(header), practiceAllowed);
      if (caller.kind === "wallet") this.#addKnownToken(tokenHash);
      return caller;
    } catch (error) {
      isTokenError = error instanceof ArcadeError && error.status === 401;
      throw error;
    } finally {
      if (!isKnown && !isTokenError) this.#limiter.refund(ADDRESS_LIMITS.failedTokens, ip);
    }
  }

  #addKnownToken(tokenHash: string): void {
    this.#knownTokens.add(tokenHash);
    if (this.#knownTokens.size > KNOWN_TOKENS_MAX) this.#knownTokens.delete(this.#knownTokens.values().next().value!);
  }
}
