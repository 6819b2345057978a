/** ABI encoders of the atomic EIP-712 types of our messages: 32 bytes each ("Definition of encodeData"). */
import { keccak256 } from "./keccak.ts";

/** Writes a value as 32 bytes at `offset`. Throws `FieldError`. */
export type EncodeWord = (value: unknown, buffer: Buffer, offset: number) => void;

export const WORD_BYTES = 32;

/** A value of the wrong form. Each enclosing struct prepends its field to the path. */
export class FieldError extends Error {
  readonly path: readonly string[];
  readonly expected: string;
  readonly received: string;

  constructor(expected: string, received: string, path: readonly string[] = []) {
    super(`${path.join(".")}: expected ${expected}, received ${received}`);
    this.path = path;
    this.expected = expected;
    this.received = received;
  }

  /** The same error, with the enclosing struct's or array's field prepended to its path. */
  withParent(name: string): FieldError {
    return new FieldError(this.expected, this.received, [name, ...this.path]);
  }
}

export const createFieldError = (expected: string, value: unknown): FieldError =>
  new FieldError(expected, typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value);

/** The value of a hex digit's character code; -1 for other characters below 128. */
const NIBBLE_VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);
const parseNibble = (text: string, i: number): number => {
  const code = text.charCodeAt(i);
  return code < 128 ? NIBBLE_VALUES[code]! : -1;
};

/**
 * Writes the bytes of `0x` and `2 * count` hex digits; false for any other text. Faster than a regular expression and
 * `Buffer.write`.
 */
function writeHex(text: unknown, count: number, buffer: Buffer, offset: number): boolean {
  if (typeof text !== "string" || text.length !== 2 + 2 * count || !text.startsWith("0x")) return false;
  let combined = 0;
  for (let i = 0; i < count; i++) {
    const byte = (parseNibble(text, 2 + 2 * i) << 4) | parseNibble(text, 3 + 2 * i);
    combined |= byte;
    buffer[offset + i] = byte;
  }
  return combined >= 0;
}

/** Accepts any letter case: checksums are checked where addresses are received. */
const encodeAddress: EncodeWord = (value, buffer, offset) => {
  buffer.fill(0, offset, offset + 12);
  if (!writeHex(value, 20, buffer, offset + 12)) throw createFieldError("an address, 0x and 40 hex digits", value);
};

const encodeBytes32: EncodeWord = (value, buffer, offset) => {
  if (!writeHex(value, WORD_BYTES, buffer, offset)) throw createFieldError("0x and 64 hex digits", value);
};

const DECIMAL = /^[0-9]{1,78}$/;
const UINT64 = 0xffff_ffff_ffff_ffffn;
const isUint = (value: unknown): value is string | number | bigint =>
  typeof value === "string" ? DECIMAL.test(value) : typeof value === "bigint" || Number.isSafeInteger(value);

/** Accepts decimal text, as in payloads, a safe integer or a bigint. */
const encodeUint256: EncodeWord = (value, buffer, offset) => {
  if (!isUint(value)) throw createFieldError("a decimal number from 0 to 2^256 - 1", value);
  const small = Number(value);
  if (small >= 0 && small <= Number.MAX_SAFE_INTEGER) {
    buffer.fill(0, offset, offset + 24);
    buffer.writeUInt32BE(Math.floor(small / 2 ** 32), offset + 24);
    buffer.writeUInt32BE(small % 2 ** 32, offset + 28);
    return;
  }
  const number = BigInt(value);
  if (number < 0n || number >> 256n !== 0n) throw createFieldError("a decimal number from 0 to 2^256 - 1", value);
  for (let i = 0n; i < 4n; i++) buffer.writeBigUInt64BE((number >> (192n - 64n * i)) & UINT64, offset + 8 * Number(i));
};

const encodeString: EncodeWord = (value, buffer, offset) => {
  if (typeof value !== "string") throw createFieldError("text", value);
  buffer.set(keccak256(Buffer.from(value, "utf8")), offset);
};

export const ENCODERS: { readonly [type: string]: EncodeWord } = {
  address: encodeAddress,
  bytes32: encodeBytes32,
  uint256: encodeUint256,
  string: encodeString,
};
