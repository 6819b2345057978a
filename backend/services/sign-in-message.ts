/** Text of sign-in messages (ERC-4361, https://eips.ethereum.org/EIPS/eip-4361): written for wallets, and read back. */
import { getAddress } from "viem";
import { MESSAGE_LIMIT_BYTES, type SignInMessage } from "../domain/auth.ts";
import { ArcadeError } from "../domain/errors.ts";

// Parts of the grammar, which takes them from RFC 3986 and RFC 3339. No part can match the empty text repeatedly, and
// alternatives differ in their first character, so reading takes time in proportion to the text.
const PCT = "%[0-9A-Fa-f]{2}";
const NAME = `(?:[A-Za-z0-9._~!$&'()*+,;=-]|${PCT})`;
const SCHEME = "[A-Za-z][A-Za-z0-9+.-]*";
const authority = (host: string): string => `(?:(?:${NAME}|:)*@)?(?:\\[[0-9A-Fa-f:.]+\\]|${host})(?::[0-9]*)?`;
const PCHAR = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|${PCT})`;
const PATH = `(?:${PCHAR}|/)*`;
const REST = `(?:${PCHAR}|[/?])*`;
const URI = `${SCHEME}:(?://${authority(`${NAME}*`)}(?:/${PATH})?|(?!//)${PATH})(?:\\?${REST})?(?:#${REST})?`;
const STATEMENT = "[A-Za-z0-9 !#$&'()*+,\\-./:;=?@[\\]_~]*";
const DATE = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
const TIME = `${DATE}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])`;

/** From end to end, so that nothing can be signed beside it. The version is read as it stands, to be told as a mismatch. */
const MESSAGE = new RegExp(
  `^(?:${SCHEME}://)?(${authority(`${NAME}+`)}) wants you to sign in with your Ethereum account:\\n(0x[0-9a-fA-F]{40})\\n\\n` +
    `(?:${STATEMENT}\\n)?\\nURI: (${URI})\\nVersion: (\\S+)\\nChain ID: ([0-9]{1,20})\\nNonce: ([A-Za-z0-9]{8,})` +
    `\\nIssued At: (${TIME})(?:\\nExpiration Time: (${TIME}))?(?:\\nNot Before: (${TIME}))?` +
    `(?:\\nRequest ID: ${PCHAR}*)?(?:\\nResources:(?:\\n- ${URI})*)?$`,
);

/** `Date` moves the 30th of February to March. */
const isInCalendar = (time: string | undefined): boolean => {
  if (time === undefined) return true;
  const date = time.slice(0, 10);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
};

const refusal = (sentence: string, expected: string): ArcadeError =>
  new ArcadeError("VALIDATION_FAILED", sentence, {
    issues: [{ path: "body.message", message: `expected ${expected}` }],
  });

/** Reads by the ERC-4361 grammar; trailing or unknown text is refused. Throws `VALIDATION_FAILED`. */
export function parseMessage(text: string): SignInMessage {
  if (Buffer.byteLength(text) > MESSAGE_LIMIT_BYTES) {
    const most = `at most ${MESSAGE_LIMIT_BYTES} bytes`;
    throw refusal(`The message is too long: expected ${most}.`, most);
  }
  const [, domain, address, uri, version, chainId, nonce, issuedAt, expirationTime, notBefore] =
    MESSAGE.exec(text) ?? [];
  const isWhole = address !== undefined && address === getAddress(address.toLowerCase());
  if (!isWhole || ![issuedAt, expirationTime, notBefore].every(isInCalendar)) {
    throw refusal(
      "The message is not an ERC-4361 sign-in message; sign the text that auth/nonce gave, unchanged.",
      "an ERC-4361 message",
    );
  }
  return {
    domain: domain!,
    address,
    uri: uri!,
    version: version!,
    chainId: Number(chainId),
    nonce: nonce!,
    issuedAt: issuedAt!,
    expirationTime: expirationTime ?? null,
    notBefore: notBefore ?? null,
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

export const writeMessage = (request: SignInRequest): string =>
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
