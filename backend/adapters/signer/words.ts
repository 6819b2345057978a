/** How each atomic type of EIP-712 that our messages have becomes one word of 32 bytes ("Definition of encodeData"). */
import { keccak256 } from "./keccak.ts";

/** Writes a value as the word at `at`. Throws `FieldFault`. */
export type WriteWord = (value: unknown, into: Buffer, at: number) => void;

export const WORD_BYTES = 32;

/** A value of the wrong form. Its path grows on the way out, from the innermost field to the outermost. */
export class FieldFault extends Error {
  readonly path: readonly string[];
  readonly expected: string;
  readonly received: string;

  constructor(expected: string, received: string, path: readonly string[] = []) {
    super(`${path.join(".")}: expected ${expected}, received ${received}`);
    this.path = path;
    this.expected = expected;
    this.received = received;
  }

  /** The fault as seen from the struct or array around it. */
  within(name: string): FieldFault {
    return new FieldFault(this.expected, this.received, [name, ...this.path]);
  }
}

export const faultOf = (expected: string, value: unknown): FieldFault =>
  new FieldFault(expected, typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value);

/** The value of a hex digit's character code; -1 for other characters below 128. */
const NIBBLES = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);
const nibbleAt = (text: string, i: number): number => {
  const code = text.charCodeAt(i);
  return code < 128 ? NIBBLES[code]! : -1;
};

/** Writes the bytes of `0x` and `2 * count` hex digits; false where the text is anything else. Faster than checking it and `Buffer.write`. */
function writeHex(text: unknown, count: number, into: Buffer, at: number): boolean {
  if (typeof text !== "string" || text.length !== 2 + 2 * count || !text.startsWith("0x")) return false;
  let signs = 0;
  for (let i = 0; i < count; i++) {
    const byte = (nibbleAt(text, 2 + 2 * i) << 4) | nibbleAt(text, 3 + 2 * i);
    signs |= byte;
    into[at + i] = byte;
  }
  return signs >= 0;
}

/** Any letter case: whether a checksum fits is asked where addresses come in. */
const writeAddress: WriteWord = (value, into, at) => {
  into.fill(0, at, at + 12);
  if (!writeHex(value, 20, into, at + 12)) throw faultOf("an address, 0x and 40 hex digits", value);
};

const writeBytes32: WriteWord = (value, into, at) => {
  if (!writeHex(value, WORD_BYTES, into, at)) throw faultOf("0x and 64 hex digits", value);
};

const DECIMAL = /^[0-9]{1,78}$/;
const UINT64 = 0xffff_ffff_ffff_ffffn;
const isUint = (value: unknown): value is string | number | bigint =>
  typeof value === "string" ? DECIMAL.test(value) : typeof value === "bigint" || Number.isSafeInteger(value);

/** Decimal text, as payloads carry numbers; a safe integer or a bigint as well. */
const writeUint256: WriteWord = (value, into, at) => {
  if (!isUint(value)) throw faultOf("a decimal number from 0 to 2^256 - 1", value);
  const small = Number(value);
  if (small >= 0 && small <= Number.MAX_SAFE_INTEGER) {
    into.fill(0, at, at + 24);
    into.writeUInt32BE(Math.floor(small / 2 ** 32), at + 24);
    into.writeUInt32BE(small % 2 ** 32, at + 28);
    return;
  }
  const number = BigInt(value);
  if (number < 0n || number >> 256n !== 0n) throw faultOf("a decimal number from 0 to 2^256 - 1", value);
  for (let i = 0n; i < 4n; i++) into.writeBigUInt64BE((number >> (192n - 64n * i)) & UINT64, at + 8 * Number(i));
};

const writeString: WriteWord = (value, into, at) => {
  if (typeof value !== "string") throw faultOf("text", value);
  into.set(keccak256(Buffer.from(value, "utf8")), at);
};

export const WORDS: { readonly [type: string]: WriteWord } = {
  address: writeAddress,
  bytes32: writeBytes32,
  uint256: writeUint256,
  string: writeString,
};
