/** Opaque bearer tokens: 256 random bits with a prefix by kind; the store sees their SHA-256 alone. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { TOKEN_PREFIXES, type TokenKind } from "../domain/auth.ts";

export const makeToken = (kind: TokenKind): string => TOKEN_PREFIXES[kind] + randomBytes(32).toString("base64url");

export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

export const hasKind = (token: string, kind: TokenKind): boolean => token.startsWith(TOKEN_PREFIXES[kind]);

/**
 * A token that follows from an older one and a stored salt: whoever shows the old token again gets the same
 * successor, and the store alone gives neither (HMAC-SHA-256, RFC 2104).
 */
export const deriveToken = (kind: TokenKind, oldToken: string, salt: string): string =>
  TOKEN_PREFIXES[kind] + createHmac("sha256", oldToken).update(`${kind}:${salt}`).digest("base64url");
