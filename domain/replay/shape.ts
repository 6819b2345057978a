/** The shape of a replay from a file or another service: exactly its fields, each of its type. */
import { isAddress } from "viem";
import type { ReplayDifference } from "./form.ts";
import type { Replay } from "./replay.ts";

interface FieldShape {
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

const isText = (value: unknown): value is string => typeof value === "string";
const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    isText(value) && pattern.test(value);
const isListOf =
  (isItem: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isItem);
const isInput = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part));

const isPause = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 3 && value.every((part) => Number.isSafeInteger(part));

const INTEGER: FieldShape = { expected: "an integer", isValid: (value) => Number.isSafeInteger(value) };
const TEXT: FieldShape = { expected: "a text", isValid: isText };
const HEX_32: FieldShape = { expected: "0x and 64 lower-case hex digits", isValid: matches(/^0x[0-9a-f]{64}$/) };
const ADDRESS: FieldShape = {
  expected: "an address with its checksum",
  isValid: (value) => isText(value) && isAddress(value),
};

/** The fields that every replay has. */
const FIELDS: { readonly [name in keyof Replay]?: FieldShape } = {
  v: { expected: "2", isValid: (value) => value === 2 },
  slug: TEXT,
  rulesVersion: INTEGER,
  tickHz: INTEGER,
  seed: HEX_32,
  serverSeed: HEX_32,
  seedCommitment: HEX_32,
  entropy: { expected: "0x and at most 32 bytes", isValid: matches(/^0x([0-9a-f]{2}){0,32}$/) },
  rulesHash: HEX_32,
  pauses: { expected: "a list of [tick, reason, ms]", isValid: isListOf(isPause) },
  inputs: { expected: "a list of [tick, code]", isValid: isListOf(isInput) },
  ticks: INTEGER,
  finalScore: INTEGER,
  endReason: TEXT,
  sessionId: TEXT,
  wallet: ADDRESS,
  chainId: INTEGER,
  rewards: ADDRESS,
  sequence: { expected: "a decimal number", isValid: matches(/^(0|[1-9]\d{0,19})$/) },
};
const SIGNATURE: FieldShape = { expected: "a signature of 65 bytes", isValid: matches(/^0x[0-9a-f]{130}$/) };

/** The fields that this replay must have: the signature may be absent. */
const getFields = (replay: { readonly [name: string]: unknown }): typeof FIELDS =>
  replay.transcriptSignature === undefined ? FIELDS : { ...FIELDS, transcriptSignature: SIGNATURE };

/** A value that is nested too deeply has no text. */
function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  try {
    return (JSON.stringify(value) ?? "").slice(0, 80);
  } catch {
    return "a value that is not JSON";
  }
}

/** Why a value is not a replay, by field; an empty list if it is one. */
export function listShapeProblems(value: unknown): readonly ReplayDifference[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [{ field: "file", expected: "a replay", received: describe(value) }];
  const fields = value as { readonly [name: string]: unknown };
  const shapes = getFields(fields);
  const problems = Object.entries(shapes).flatMap(([field, { expected, isValid }]) =>
    isValid(fields[field]) ? [] : [{ field, expected, received: describe(fields[field]) }],
  );
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(shapes, name));
  return [
    ...problems,
    ...unknown.map((field) => ({ field, expected: "no such field", received: describe(fields[field]) })),
  ];
}
