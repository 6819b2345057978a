/** Rules of sign-in. Sources: ERC-4361 (https://eips.ethereum.org/EIPS/eip-4361), RFC 6749 §10.4, RFC 9700 §4.14. */
import { ArcadeError } from "./errors.ts";

export const AUTH_TIMES = {
  nonceTtlSeconds: 300,
  /** A message may be this old, or this far in the future (clock skew). */
  issuedAtPastSeconds: 300,
  issuedAtFutureSeconds: 60,
  /** How long a rotated token still gets the same successor. */
  refreshGraceSeconds: 10,
  /** Contract wallets can revoke a signature, so their access tokens are short-lived. */
  erc1271AccessTtlSeconds: 3600,
} as const;

export const MESSAGE_LIMIT_BYTES = 2048;

export const TOKEN_PREFIXES = { access: "aa_", refresh: "ar_", play: "ap_", spectate: "as_", practice: "ax_" } as const;
export type TokenKind = keyof typeof TOKEN_PREFIXES;

/** The fields of a parsed sign-in message. Times are ISO-8601 as written. */
export interface SignInMessage {
  /** Null if the message has none. */
  readonly scheme: string | null;
  readonly domain: string;
  readonly address: string;
  readonly statement: string | null;
  readonly uri: string;
  readonly version: string;
  /** As written: a different form of the same number is a different text. */
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAt: string | null;
  readonly expirationTime: string | null;
  readonly notBefore: string | null;
  readonly requestId: string | null;
  readonly resources: readonly string[] | null;
}

export interface SignInExpectation {
  /** Origins (scheme, host, port) that a message may name. */
  readonly origins: readonly string[];
  /** The path of the message that was issued. */
  readonly path: string;
  /** The statement of the message that was issued. */
  readonly statement: string;
  readonly chainId: number;
  readonly wallet: string;
  readonly nowMs: number;
}

export const toSignInStatement = (slug: string): string => `Sign in to Agent Arcade (${slug}).`;

function createMismatchError(field: string, expected: string, received: string): ArcadeError {
  return new ArcadeError(
    "MESSAGE_MISMATCH",
    `The message's ${field}: expected ${expected}, received ${received}; sign the message that auth/nonce gave.`,
    { field, expected, received },
  );
}

function createExpiredError(field: string, expected: string, received: string): ArcadeError {
  return new ArcadeError(
    "MESSAGE_EXPIRED",
    `The message's ${field}: expected ${expected}, received ${received}; request a new nonce and sign its message unchanged, or correct your clock.`,
    { field, expected, received },
  );
}

/** The origin of a URI that is an origin followed by one of `paths` and nothing else; null otherwise. */
function toPlainOrigin(uri: string, paths: readonly string[]): string | null {
  if (!URL.canParse(uri)) return null;
  const { origin } = new URL(uri);
  return paths.some((path) => uri === `${origin}${path}`) ? origin : null;
}

/** Scheme, domain and URI belong to the same allowed origin. */
function checkOrigin({ scheme, domain, uri }: SignInMessage, { origins, path }: SignInExpectation): void {
  const own = [...new Set(origins)].filter((origin) => new URL(origin).host === domain);
  if (own.length === 0)
    throw createMismatchError("domain", origins.map((origin) => new URL(origin).host).join(" or "), domain);
  const schemes = own.map((origin) => new URL(origin).protocol.slice(0, -1));
  if (scheme !== null && !schemes.includes(scheme)) throw createMismatchError("scheme", schemes.join(" or "), scheme);
  const origin = toPlainOrigin(uri, ["", "/", path]);
  if (origin === null || !own.includes(origin) || (scheme !== null && !origin.startsWith(`${scheme}:`)))
    throw createMismatchError("uri", own.map((allowed) => `${allowed} or ${allowed}${path}`).join(" or "), uri);
}

/**
 * Checks a message that differs from the issued one, in every field. Throws `MESSAGE_MISMATCH` or `MESSAGE_EXPIRED`
 * with the first field that differs.
 */
export function checkSignInMessage(message: SignInMessage, expected: SignInExpectation): void {
  checkOrigin(message, expected);
  if (message.statement !== expected.statement)
    throw createMismatchError("statement", expected.statement, message.statement ?? "none");
  if (message.version !== "1") throw createMismatchError("version", "1", message.version);
  if (message.chainId !== String(expected.chainId))
    throw createMismatchError("chainId", String(expected.chainId), message.chainId);
  if (message.address !== expected.wallet) throw createMismatchError("address", expected.wallet, message.address);
  if (message.requestId !== null) throw createMismatchError("requestId", "none", message.requestId);
  // Libraries write an empty list for `resources: []`.
  if (message.resources?.length) throw createMismatchError("resources", "none", message.resources.join(", "));
  checkTimes(message, expected.nowMs);
}

function checkTimes(message: SignInMessage, nowMs: number): void {
  const issuedAtMs = Date.parse(message.issuedAt ?? "");
  const earliest = nowMs - AUTH_TIMES.issuedAtPastSeconds * 1000;
  const latest = nowMs + AUTH_TIMES.issuedAtFutureSeconds * 1000;
  if (!(issuedAtMs >= earliest && issuedAtMs <= latest)) {
    throw createExpiredError(
      "issuedAt",
      `between ${new Date(earliest).toISOString()} and ${new Date(latest).toISOString()}`,
      message.issuedAt ?? "none",
    );
  }
  if (message.notBefore !== null && !(Date.parse(message.notBefore) <= nowMs)) {
    throw createExpiredError("notBefore", `at most ${new Date(nowMs).toISOString()}`, message.notBefore);
  }
  const lastMs = nowMs + (AUTH_TIMES.nonceTtlSeconds + AUTH_TIMES.issuedAtFutureSeconds) * 1000;
  const expiresAtMs = Date.parse(message.expirationTime ?? "");
  if (!(expiresAtMs > nowMs && expiresAtMs <= lastMs)) {
    throw createExpiredError(
      "expirationTime",
      `after ${new Date(nowMs).toISOString()} and at most ${new Date(lastMs).toISOString()}`,
      message.expirationTime ?? "none",
    );
  }
}
