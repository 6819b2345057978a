/** Checks the service's sign-in message (ERC-4361) before the wallet signs it. */
import type { Address } from "viem";
import { getAddress } from "viem/utils";
import { AUTH_TIMES, toSignInStatement } from "../domain/auth.ts";
import { isLoopbackHost } from "../domain/origins.ts";
import { parseSignInMessage } from "../domain/sign-in-message.ts";
import { ArcadeApiError } from "./errors.ts";

export interface SignInClaim {
  /** The address by which the client reaches the service. */
  readonly baseUrl: string;
  readonly address: Address;
  /** The chain of the client's contracts or of the wallet; null if neither is known. */
  readonly chainId: number | null;
  /** The nonce of the same response. */
  readonly nonce: string;
  readonly slug: string;
}

function createRefusal(field: string, expected: string, received: string, next = ""): ArcadeApiError {
  return new ArcadeApiError({
    code: "MESSAGE_MISMATCH",
    message: `The sign-in message's ${field}: expected ${expected}, received ${received}; it was not signed. Is this the service that you mean?${next}`,
    status: 0,
    retryable: false,
    fields: { field, expected, received },
  });
}

function parse(message: string) {
  try {
    return parseSignInMessage(message);
  } catch {
    throw createRefusal("text", "an ERC-4361 message", JSON.stringify(message.slice(0, 80)));
  }
}

/** All names of this machine count as equal: a local service may use any of them. */
const isSameHost = (one: URL, other: URL): boolean =>
  one.host === other.host ||
  (isLoopbackHost(one.hostname) && isLoopbackHost(other.hostname) && one.port === other.port);

/** Scheme, domain and URI must be those of the service that the client uses. */
function checkOrigin(message: ReturnType<typeof parse>, baseUrl: string): void {
  const base = new URL(baseUrl);
  const domain = URL.canParse(`${base.protocol}//${message.domain}`)
    ? new URL(`${base.protocol}//${message.domain}`)
    : null;
  if (domain === null || domain.username !== "" || !isSameHost(base, domain))
    throw createRefusal(
      "domain",
      base.host,
      message.domain,
      ` If it is, its operator must set ARCADE_PUBLIC_URL=${base.origin}.`,
    );
  if (message.scheme !== null && `${message.scheme}:` !== base.protocol)
    throw createRefusal("scheme", base.protocol.slice(0, -1), message.scheme);
  const uri = URL.canParse(message.uri) ? new URL(message.uri) : null;
  if (uri === null || uri.origin !== domain.origin || uri.username !== "")
    throw createRefusal("uri", `an address below ${domain.origin}`, message.uri);
}

/** Throws `MESSAGE_MISMATCH` with the first field (`fields.field`) that differs from the client's request. */
export function checkSignInRequest(text: string, claim: SignInClaim): void {
  const message = parse(text);
  checkOrigin(message, claim.baseUrl);
  const fields: readonly (readonly [field: string, expected: string, received: string | null])[] = [
    ["statement", toSignInStatement(claim.slug), message.statement],
    ["version", "1", message.version],
    // Browser wallets give addresses in lower case; the parsed message has the checksummed form.
    ["address", getAddress(claim.address.toLowerCase()), message.address],
    ["chainId", claim.chainId === null ? message.chainId : String(claim.chainId), message.chainId],
    ["nonce", claim.nonce, message.nonce],
    ["notBefore", "none", message.notBefore ?? "none"],
    ["requestId", "none", message.requestId ?? "none"],
    ["resources", "none", message.resources?.join(", ") ?? "none"],
  ];
  for (const [field, expected, received] of fields)
    if (received !== expected) throw createRefusal(field, expected, received ?? "none");
  const seconds = (Date.parse(message.expirationTime ?? "") - Date.parse(message.issuedAt ?? "")) / 1000;
  if (!(seconds > 0 && seconds <= AUTH_TIMES.nonceTtlSeconds))
    throw createRefusal(
      "expirationTime",
      `at most ${AUTH_TIMES.nonceTtlSeconds} s after ${message.issuedAt}`,
      message.expirationTime ?? "none",
    );
}
