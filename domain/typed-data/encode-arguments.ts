/**
 * Arguments of a call in the contract ABI (https://docs.soliditylang.org/en/latest/abi-spec.html), as hex without `0x`.
 * viem's encoder takes many times as long, mostly for checks of addresses. Types: `address`, `bool`, `bytes32`, `uint…`,
 * `bytes`, `string`, structs and lists of these.
 */
import { stringToHex } from "viem";

export interface Parameter {
  readonly type: string;
  readonly name?: string | undefined;
  readonly components?: readonly Parameter[];
}

const WORD_DIGITS = 64;
const FORMS: { readonly [type: string]: RegExp } = {
  address: /^0x[0-9a-f]{40}$/i,
  bytes32: /^0x[0-9a-f]{64}$/i,
  bytes: /^0x([0-9a-f]{2})*$/i,
};
const DECIMAL = /^\d+$/;

const toWord = (number: number | bigint): string => number.toString(16).padStart(WORD_DIGITS, "0");

const createValueError = (type: string): TypeError => new TypeError(`expected a value of the type ${type}`);

/** The digits of a value that is given as hex, in lower case. */
function readDigits(type: string, value: unknown): string {
  if (typeof value !== "string" || !FORMS[type]?.test(value)) throw createValueError(type);
  return value.slice(2).toLowerCase();
}

/** An integer, as a number or in decimal digits. */
function readInteger(type: string, value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (typeof value === "string" && DECIMAL.test(value)) return BigInt(value);
  throw createValueError(type);
}

function encodeUint(type: string, value: unknown): string {
  const number = readInteger(type, value);
  if (number < 0n || number >> BigInt(type.slice(4) || 256) !== 0n) throw createValueError(type);
  return toWord(number);
}

function encodeBool(value: unknown): string {
  if (typeof value !== "boolean") throw createValueError("bool");
  return toWord(value ? 1 : 0);
}

/** Length and bytes, padded to whole words. */
const encodeBytes = (digits: string): string =>
  toWord(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, "0");

function encodeString(value: unknown): string {
  if (typeof value !== "string") throw createValueError("string");
  return encodeBytes(stringToHex(value).slice(2));
}

const isDynamic = ({ type, components = [] }: Parameter): boolean =>
  type === "bytes" || type === "string" || type.endsWith("[]") || components.some(isDynamic);

function encodeValue(parameter: Parameter, value: unknown): string {
  const { type, components = [] } = parameter;
  if (type.endsWith("[]")) {
    const items = value as readonly unknown[];
    const item = { ...parameter, type: type.slice(0, -2) };
    const encoded = encodeArguments(
      items.map(() => item),
      items,
    );
    return toWord(items.length) + encoded;
  }
  if (type === "tuple") {
    const fields = value as { readonly [name: string]: unknown };
    return encodeArguments(
      components,
      components.map(({ name }) => fields[name!]),
    );
  }
  if (type.startsWith("uint")) return encodeUint(type, value);
  if (type === "bool") return encodeBool(value);
  if (type === "string") return encodeString(value);
  const digits = readDigits(type, value);
  return type === "bytes" ? encodeBytes(digits) : digits.padStart(WORD_DIGITS, "0");
}

/** Encodes values in order: fixed-length ones in place, others as an offset to their data, which follows. */
export function encodeArguments(parameters: readonly Parameter[], values: readonly unknown[]): string {
  if (values.length !== parameters.length) throw new TypeError(`expected ${parameters.length} values`);
  const parts = parameters.map((parameter, n) => {
    const encoded = encodeValue(parameter, values[n]);
    return isDynamic(parameter) ? { head: null, tail: encoded } : { head: encoded, tail: "" };
  });
  let offset = parts.reduce((sum, { head }) => sum + (head?.length ?? WORD_DIGITS), 0) / 2;
  let heads = "";
  let tails = "";
  for (const { head, tail } of parts) {
    heads += head ?? toWord(offset);
    tails += tail;
    offset += tail.length / 2;
  }
  return heads + tails;
}
