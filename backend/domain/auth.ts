/** Rules of sign-in. Sources: ERC-4361 (https://eips.ethereum.org/EIPS/eip-4361), RFC 6749 §10.4, RFC 9700 §4.14. */
import { ArcadeError } from "./errors.ts";

export const AUTH_TIMES = {
  nonceTtlSeconds: 300,
  /** A message may be this old, or this far in the future (clock skew). */
  issuedAtPastSeconds: 300,
  issuedAtFutureSeconds: 60,
  /** The token just rotated away answers the same successor for so long. */
  refreshGraceSeconds: 10,
  /** Contract wallets can change their mind, so their access is short. */
  erc1271AccessTtlSeconds: 3600,
} as const;

export const MESSAGE_LIMIT_BYTES = 2048;

export const TOKEN_PREFIXES = { access: "aa_", refresh: "ar_", play: "ap_", spectate: "as_", practice: "ax_" } as const;
export type TokenKind = keyof typeof TOKEN_PREFIXES;

/** The fields of a parsed sign-in message. Times are ISO-8601 as written. */
export interface SignInMessage {
  readonly domain: string;
  readonly address: string;
  readonly uri: string;
  readonly version: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: string | null;
  readonly expirationTime: string | null;
  readonly notBefore: string | null;
}

export interface SignInExpectation {
  readonly domains: readonly string[];
  /** Origins (scheme, host, port) a message's URI may have. */
  readonly origins: readonly string[];
  readonly chainId: number;
  readonly wallet: string;
  readonly nowMs: number;
}

function mismatch(field: string, expected: string, received: string): ArcadeError {
  return new ArcadeError(
    "MESSAGE_MISMATCH",
    `The message's ${field}: expected ${expected}, received ${received}; sign the message that auth/nonce gave.`,
    { field, expected, received },
  );
}

function outOfTime(field: string, expected: string, received: string): ArcadeError {
  return new ArcadeError(
    "MESSAGE_EXPIRED",
    `The message's ${field}: expected ${expected}, received ${received}; ask a new nonce and sign again.`,
    { field, expected, received },
  );
}

const originOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).origin : uri);

/** Throws `MESSAGE_MISMATCH` or `MESSAGE_EXPIRED` naming the first field that differs from what was expected. */
export function checkSignInMessage(message: SignInMessage, expected: SignInExpectation): void {
  if (!expected.domains.includes(message.domain))
    throw mismatch("domain", expected.domains.join(" or "), message.domain);
  if (!expected.origins.includes(originOf(message.uri)))
    throw mismatch("uri", `an address below ${expected.origins.join(" or ")}`, message.uri);
  if (message.version !== "1") throw mismatch("version", "1", message.version);
  if (message.chainId !== expected.chainId)
    throw mismatch("chainId", String(expected.chainId), String(message.chainId));
  if (message.address !== expected.wallet) throw mismatch("address", expected.wallet, message.address);

  const { nowMs } = expected;
  const issuedAtMs = Date.parse(message.issuedAt ?? "");
  const earliest = nowMs - AUTH_TIMES.issuedAtPastSeconds * 1000;
  const latest = nowMs + AUTH_TIMES.issuedAtFutureSeconds * 1000;
  if (!(issuedAtMs >= earliest && issuedAtMs <= latest)) {
    throw outOfTime(
      "issuedAt",
      `between ${new Date(earliest).toISOString()} and ${new Date(latest).toISOString()}`,
      message.issuedAt ?? "none",
    );
  }
  if (message.notBefore !== null && !(Date.parse(message.notBefore) <= nowMs)) {
    throw outOfTime("notBefore", `at most ${new Date(nowMs).toISOString()}`, message.notBefore);
  }
  if (message.expirationTime !== null && !(Date.parse(message.expirationTime) > nowMs)) {
    throw outOfTime("expirationTime", `after ${new Date(nowMs).toISOString()}`, message.expirationTime);
  }
}
