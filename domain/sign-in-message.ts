/** Text of sign-in messages (ERC-4361, https://eips.ethereum.org/EIPS/eip-4361): written for wallets, and read back. */
// Not from the barrel: the site would load all of viem with its first page (esbuild shares what any page uses of it).
import { getAddress } from "viem/utils";
import { MESSAGE_LIMIT_BYTES, type SignInMessage } from "./auth.ts";
import { ArcadeError } from "./errors.ts";

// Parts of the grammar, which takes them from RFC 3986 and RFC 3339. No part can match the empty text repeatedly, and
// alternatives differ in their first character, so reading takes time in proportion to the text.
const PERCENT_ENCODED = "%[0-9A-Fa-f]{2}";
const NAME = `(?:[A-Za-z0-9._~!$&'()*+,;=-]|${PERCENT_ENCODED})`;
const SCHEME = "[A-Za-z][A-Za-z0-9+.-]*";
const authority = (host: string): string => `(?:(?:${NAME}|:)*@)?(?:\\[[0-9A-Fa-f:.]+\\]|${host})(?::[0-9]*)?`;
const PCHAR = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|${PERCENT_ENCODED})`;
const PATH = `(?:${PCHAR}|/)*`;
const REST = `(?:${PCHAR}|[/?])*`;
const URI = `${SCHEME}:(?://${authority(`${NAME}*`)}(?:/${PATH})?|(?!//)${PATH})(?:\\?${REST})?(?:#${REST})?`;
const STATEMENT = "[A-Za-z0-9 !#$&'()*+,\\-./:;=?@[\\]_~]*";
const DATE = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
const TIME = `${DATE}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])`;

/** Matches the whole message, so that a signature covers no other text. Any version is read; a wrong one is reported as a mismatch. */
const MESSAGE = new RegExp(
  `^(?:(?<scheme>${SCHEME})://)?(?<domain>${authority(`${NAME}+`)}) wants you to sign in with your Ethereum account:\\n` +
    `(?<address>0x[0-9a-fA-F]{40})\\n\\n(?:(?<statement>${STATEMENT})\\n)?\\nURI: (?<uri>${URI})\\nVersion: (?<version>\\S+)` +
    `\\nChain ID: (?<chainId>[0-9]{1,20})\\nNonce: (?<nonce>[A-Za-z0-9]{8,})\\nIssued At: (?<issuedAt>${TIME})` +
    `(?:\\nExpiration Time: (?<expirationTime>${TIME}))?(?:\\nNot Before: (?<notBefore>${TIME}))?` +
    `(?:\\nRequest ID: (?<requestId>${PCHAR}*))?(?<resources>\\nResources:(?:\\n- ${URI})*)?$`,
);

/** `Date` moves the 30th of February to March. */
const isCalendarDate = (time: string | undefined): boolean => {
  if (time === undefined) return true;
  const date = time.slice(0, 10);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
};

const createMessageError = (message: string, expected: string): ArcadeError =>
  new ArcadeError("VALIDATION_FAILED", message, {
    issues: [{ path: "body.message", message: `expected ${expected}` }],
  });

/** Reads by the ERC-4361 grammar; trailing or unknown text is refused. Throws `VALIDATION_FAILED`. */
export function parseSignInMessage(text: string): SignInMessage {
  if (new TextEncoder().encode(text).length > MESSAGE_LIMIT_BYTES) {
    const limit = `at most ${MESSAGE_LIMIT_BYTES} bytes`;
    throw createMessageError(`The message is too long: expected ${limit}.`, limit);
  }
  const groups = MESSAGE.exec(text)?.groups ?? {};
  const { address, issuedAt, expirationTime, notBefore } = groups;
  const isComplete = address !== undefined && address === getAddress(address.toLowerCase());
  if (!isComplete || ![issuedAt, expirationTime, notBefore].every(isCalendarDate)) {
    throw createMessageError(
      "The message is not an ERC-4361 sign-in message; sign the text that auth/nonce gave, unchanged.",
      "an ERC-4361 message",
    );
  }
  const { resources } = groups;
  return {
    scheme: groups.scheme ?? null,
    domain: groups.domain!,
    address,
    statement: groups.statement ?? null,
    uri: groups.uri!,
    version: groups.version!,
    chainId: groups.chainId!,
    nonce: groups.nonce!,
    issuedAt: issuedAt!,
    expirationTime: expirationTime ?? null,
    notBefore: notBefore ?? null,
    requestId: groups.requestId ?? null,
    resources: resources === undefined ? null : resources.split("\n- ").slice(1),
  };
}

/** What a wallet is asked to sign. Times are ISO-8601, `origin` has a scheme. */
export interface SignInRequest {
  readonly origin: string;
  readonly address: string;
  readonly statement: string;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expirationTime: string;
}

export const formatSignInMessage = (request: SignInRequest): string =>
  [
    `${request.origin} wants you to sign in with your Ethereum account:`,
    request.address,
    "",
    request.statement,
    "",
    `URI: ${request.uri}`,
    "Version: 1",
    `Chain ID: ${request.chainId}`,
    `Nonce: ${request.nonce}`,
    `Issued At: ${request.issuedAt}`,
    `Expiration Time: ${request.expirationTime}`,
  ].join("\n");
