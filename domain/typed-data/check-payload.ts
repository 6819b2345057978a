/** The form of a typed-data payload (EIP-712): every type is known, every value fits its type. */
import { isAddress, isHex } from "viem";
import type { TypedField } from "./messages.ts";

export interface PayloadIssue {
  readonly path: string;
  readonly message: string;
}

type Types = { readonly [name: string]: readonly TypedField[] };

const ARRAY = /^(.*)\[(\d*)\]$/;
const INTEGER = /^(u?)int(\d*)$/;
const FIXED_BYTES = /^bytes(\d+)$/;
const DECIMAL_OR_HEX = /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/;

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function findIntegerProblem(type: string, value: unknown): string | null {
  const [, unsigned, size] = INTEGER.exec(type)!;
  const bits = size === "" ? 256 : Number(size);
  if (bits === 0 || bits > 256 || bits % 8 !== 0) return `${type} is not an EIP-712 type`;
  const isInteger = Number.isSafeInteger(value) || (typeof value === "string" && DECIMAL_OR_HEX.test(value));
  if (!isInteger) return `expected ${type} as a decimal string, received ${describe(value)}`;
  const number = BigInt(value as string | number);
  const isUnsigned = unsigned === "u";
  const least = isUnsigned ? 0n : -(2n ** BigInt(bits - 1));
  const most = 2n ** BigInt(isUnsigned ? bits : bits - 1) - 1n;
  return number < least || number > most ? `${number} does not fit ${type}` : null;
}

function findBytesProblem(type: string, value: unknown): string | null {
  const size = FIXED_BYTES.exec(type)?.[1];
  if (size !== undefined && (Number(size) === 0 || Number(size) > 32)) return `${type} is not an EIP-712 type`;
  if (!isHex(value) || value.length % 2 !== 0) return `expected ${type} as 0x hex, received ${describe(value)}`;
  const bytes = value.length / 2 - 1;
  return size === undefined || bytes === Number(size) ? null : `expected ${size} bytes, received ${bytes}`;
}

/** Why the value does not fit an elementary type; null if it does, undefined if the type is not elementary. */
function findElementaryProblem(type: string, value: unknown): string | null | undefined {
  if (INTEGER.test(type)) return findIntegerProblem(type, value);
  if (type === "bytes" || FIXED_BYTES.test(type)) return findBytesProblem(type, value);
  if (type === "bool" || type === "string") {
    const expected = type === "bool" ? "boolean" : "string";
    return typeof value === expected ? null : `expected ${type}, received ${describe(value)}`;
  }
  if (type !== "address") return undefined;
  return typeof value === "string" && isAddress(value, { strict: false }) ? null : "expected an address of 20 bytes";
}

function findValueIssue(types: Types, type: string, value: unknown, path: string): PayloadIssue | null {
  const array = ARRAY.exec(type);
  if (array !== null) {
    const [, item = "", length] = array;
    if (!Array.isArray(value)) return { path, message: `expected a list of ${item}, received ${describe(value)}` };
    if (length !== "" && value.length !== Number(length))
      return { path, message: `expected ${length} items, received ${value.length}` };
    return findFirst(value.map((entry, index) => () => findValueIssue(types, item, entry, `${path}[${index}]`)));
  }
  const problem = findElementaryProblem(type, value);
  if (problem !== undefined) return problem === null ? null : { path, message: problem };
  if (!Object.hasOwn(types, type)) return { path, message: `the type ${type} is not in types` };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { path, message: `expected the fields of ${type}, received ${describe(value)}` };
  const fields = value as { readonly [name: string]: unknown };
  return findFirst(
    types[type]!.map(
      ({ name, type: fieldType }) =>
        () =>
          findValueIssue(types, fieldType, Object.hasOwn(fields, name) ? fields[name] : undefined, `${path}.${name}`),
    ),
  );
}

function findFirst(checks: readonly (() => PayloadIssue | null)[]): PayloadIssue | null {
  for (const check of checks) {
    const issue = check();
    if (issue !== null) return issue;
  }
  return null;
}

/** The first field whose type is neither elementary nor in `types`. */
function findTypeIssue(types: Types): PayloadIssue | null {
  for (const [owner, fields] of Object.entries(types))
    for (const { name, type } of fields) {
      const base = type.replace(/(\[\d*\])+$/, "");
      const isElementary = INTEGER.test(base) || FIXED_BYTES.test(base) || /^(bytes|bool|string|address)$/.test(base);
      if (!isElementary && !Object.hasOwn(types, base))
        return { path: `types.${owner}.${name}`, message: `the type ${base} is not in types` };
    }
  return null;
}

/** The first reason why a payload cannot be hashed; null if it can. */
export function findPayloadIssue(payload: {
  readonly types: Types;
  readonly primaryType: string;
  readonly message: object;
}): PayloadIssue | null {
  const { types, primaryType, message } = payload;
  if (!Object.hasOwn(types, primaryType))
    return { path: "primaryType", message: `types lacks ${primaryType}, the primaryType` };
  return findTypeIssue(types) ?? findValueIssue(types, primaryType, message, "message");
}
