/** Opaque bearer tokens: 256 random bits with a prefix for their kind. The store holds only their SHA-256. */
import { createHmac, hash, randomBytes } from "node:crypto";
import { TOKEN_PREFIXES, type TokenKind } from "../../../domain/auth.ts";
import { quoteReceived } from "../../../domain/errors.ts";

/** What programs send for a token that they do not have. */
const EMPTY = /^(undefined|null|None|NaN|\[object \w+\]|\$\w+|<[\w ]+>)$/;

export const createToken = (kind: TokenKind): string => TOKEN_PREFIXES[kind] + randomBytes(32).toString("base64url");

// safeguard: hash-token
export const hashToken = (token: string): string => hash("sha256", token);

export const isTokenOfKind = (token: string, kind: TokenKind): boolean => token.startsWith(TOKEN_PREFIXES[kind]);

/** What a caller sent instead of a valid token, without the token itself. */
export function describeToken(token: string, expected: TokenKind): string {
  const kind = (Object.keys(TOKEN_PREFIXES) as TokenKind[]).find((kind) => isTokenOfKind(token, kind));
  if (kind === expected) return "one that is unknown here or revoked";
  if (kind !== undefined) return `a token of kind ${kind} (${TOKEN_PREFIXES[kind]}…)`;
  return EMPTY.test(token) ? quoteReceived(token) : `${token.length} characters without this prefix`;
}

/**
 * The token that follows from an older token and a stored salt (HMAC-SHA-256, RFC 2104): presenting the old token again
 * gives the same successor, and neither can be computed from the store's content.
 */
export const deriveToken = (kind: TokenKind, oldToken: string, salt: string): string =>
  TOKEN_PREFIXES[kind] + createHmac("sha256", oldToken).update(`${kind}:${salt}`).digest("base64url");
