/** Text of sign-in messages (ERC-4361, https://eips.ethereum.org/EIPS/eip-4361): writes and reads them. */
// Not from the barrel: the site would load all of viem with its first page (esbuild shares what any page uses of it).
import { getAddress } from "viem/utils";
import { MESSAGE_LIMIT_BYTES, type SignInMessage } from "./auth.ts";
import { ArcadeError, quoteReceived } from "./errors.ts";

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
const STATEMENT = /^[A-Za-z0-9 !#$&'()*+,\-./:;=?@[\]_~]*$/;
const DATE = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
const TIME = `${DATE}T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]+)?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])`;

const WHOLE_URI = new RegExp(`^${URI}$`);

interface Form {
  readonly pattern: RegExp;
  /** Describes the expected text in errors. */
  readonly expected: string;
}

const FIRST_LINE = new RegExp(
  `^(?:(?<scheme>${SCHEME})://)?(?<domain>${authority(`${NAME}+`)}) wants you to sign in with your Ethereum account:$`,
);
const TIME_FORM: Form = {
  pattern: new RegExp(`^${TIME}$`, "i"),
  expected: "a time with its offset, such as 2026-01-31T12:00:00.000Z",
};
/** Fields with a label, in their order. Any version is read; a wrong one is reported as a mismatch. */
const FIELDS = {
  URI: { pattern: WHOLE_URI, expected: "a URI" },
  Version: { pattern: /^\S+$/, expected: "1" },
  "Chain ID": { pattern: /^[0-9]{1,20}$/, expected: "decimal digits" },
  Nonce: { pattern: /^[A-Za-z0-9]{8,}$/, expected: "at least 8 letters and digits" },
  "Issued At": TIME_FORM,
  "Expiration Time": TIME_FORM,
  "Not Before": TIME_FORM,
  "Request ID": { pattern: new RegExp(`^${PCHAR}*$`), expected: "characters of a URI's path" },
} as const satisfies { readonly [label: string]: Form };
type Label = keyof typeof FIELDS;
const ORDER = `${Object.keys(FIELDS).join(", ")}, Resources`;

/** `Date` moves the 30th of February to March. */
const isCalendarDate = (time: string): boolean => {
  const date = time.slice(0, 10);
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
};

function createFieldError(field: string, expected: string, text: string | undefined): ArcadeError {
  const received = text === undefined ? "the end of the message" : quoteReceived(text);
  return new ArcadeError(
    "MESSAGE_MISMATCH",
    `The message's ${field}: expected ${expected}, received ${received}; sign the text that auth/nonce gave, unchanged.`,
    { field, expected, received },
  );
}

/** Reads a message's lines one after the other. */
class Lines {
  readonly #lines: readonly string[];
  #at = 0;

  /** Windows and copied texts end lines by CRLF, and files end by one more line end. */
  constructor(text: string) {
    this.#lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  }

  peek(ahead = 0): string | undefined {
    return this.#lines[this.#at + ahead];
  }

  next(): string | undefined {
    return this.#lines[this.#at++];
  }

  readEmpty(field: string, expected: string): void {
    const line = this.next();
    if (line !== "") throw createFieldError(field, expected, line);
  }

  /** The value of a line with a label; null if the next line has another label. */
  read(label: Label): string | null {
    const line = this.peek();
    if (!line?.startsWith(`${label}: `)) return null;
    this.#at += 1;
    const value = line.slice(label.length + 2);
    const { pattern, expected } = FIELDS[label];
    const isFitting = pattern.test(value) && (FIELDS[label] !== TIME_FORM || isCalendarDate(value));
    if (!isFitting) throw createFieldError(label, expected, value);
    return value;
  }

  require(label: Label): string {
    const value = this.read(label);
    if (value === null) throw createFieldError(label, `a line "${label}: …" after the line before it`, this.peek());
    return value;
  }
}

/** The checksummed address; all lower or all upper case has no checksum to compare. */
function readAddress(line: string | undefined): string {
  if (line === undefined || !/^0x[0-9a-fA-F]{40}$/.test(line))
    throw createFieldError("address", "0x and 40 hex digits on the second line", line);
  const address = getAddress(line.toLowerCase());
  const hasCase = /[a-f]/.test(line.slice(2)) && /[A-F]/.test(line.slice(2));
  if (hasCase && line !== address) throw createFieldError("address", `${address} (its EIP-55 checksum)`, line);
  return address;
}

function readStatement(lines: Lines): string | null {
  lines.readEmpty("address", "an empty line after it");
  if (lines.peek() === "" && lines.peek(1) !== "") {
    lines.next();
    return null;
  }
  const line = lines.next();
  if (line === undefined || !STATEMENT.test(line))
    throw createFieldError("statement", "one line of the characters that ERC-4361 allows", line);
  lines.readEmpty("statement", "one line, with an empty line before and after it");
  return line;
}

function readResources(lines: Lines): readonly string[] | null {
  if (lines.peek() !== "Resources:") return null;
  lines.next();
  const resources: string[] = [];
  for (let line = lines.peek(); line?.startsWith("- "); line = lines.peek()) {
    if (!WHOLE_URI.test(line.slice(2))) throw createFieldError("Resources", "lines of a URI each", line);
    resources.push(line.slice(2));
    lines.next();
  }
  return resources;
}

/**
 * Reads by the ERC-4361 grammar, so that a signature covers no other text. Wallets may write line ends as CRLF, one
 * more at the end, the address in one case, and times without seconds. Throws `MESSAGE_MISMATCH` with what differs.
 */
export function parseSignInMessage(text: string): SignInMessage {
  if (new TextEncoder().encode(text).length > MESSAGE_LIMIT_BYTES)
    throw createFieldError("length", `at most ${MESSAGE_LIMIT_BYTES} bytes`, text);
  const lines = new Lines(text);
  const firstLine = lines.next() ?? "";
  const first = FIRST_LINE.exec(firstLine)?.groups;
  if (first === undefined)
    throw createFieldError("first line", '"DOMAIN wants you to sign in with your Ethereum account:"', firstLine);
  const message: SignInMessage = {
    scheme: first.scheme ?? null,
    domain: first.domain!,
    address: readAddress(lines.next()),
    statement: readStatement(lines),
    uri: lines.require("URI"),
    version: lines.require("Version"),
    chainId: lines.require("Chain ID"),
    nonce: lines.require("Nonce"),
    issuedAt: lines.require("Issued At"),
    expirationTime: lines.read("Expiration Time"),
    notBefore: lines.read("Not Before"),
    requestId: lines.read("Request ID"),
    resources: readResources(lines),
  };
  const more = lines.peek();
  if (more !== undefined) throw createFieldError("end", `only ${ORDER}, in this order and once each`, more);
  return message;
}

/** The message that a wallet signs. Times are ISO-8601, `origin` has a scheme. */
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
