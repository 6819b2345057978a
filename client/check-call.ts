/**
 * Compares a prepared call, or a message to sign, with the flow's own expectation, before anything is sent or signed.
 */
import type { Address, Hex } from "viem";
import { type CallName, createCall } from "../domain/typed-data/calls.ts";
import type { Call } from "./api.ts";
import { ArcadeChainError } from "./errors.ts";

/** What a flow knows about its call without asking the service. */
export interface CallExpectation {
  readonly chainId: number;
  readonly to: Address;
  readonly functionName: CallName;
  /** By position; undefined for an argument that only the service knows: a signature, a deadline. */
  readonly args: readonly unknown[];
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The error for a field of a call, or of its response, that differs. */
export function createRefusal(field: string, expected: unknown, received: unknown): ArcadeChainError {
  const expectedText = toText(expected);
  const receivedText = toText(received);
  return new ArcadeChainError(
    "CALL_REFUSED",
    `The prepared call's ${field}: expected ${expectedText}, received ${receivedText}; it was not sent. Is this the service that you mean?`,
    { mismatch: { field, expected: expectedText, received: receivedText } },
  );
}

type Message = { readonly [part in (typeof MESSAGE_PARTS)[number]]: unknown };
const MESSAGE_PARTS = ["domain", "types", "primaryType", "message"] as const;

/** Compares the service's message with the client's `own`. Throws `CALL_REFUSED` with the first part that differs. */
export function checkMessage(name: "ballot" | "consent", own: Message, given: Message): void {
  for (const part of MESSAGE_PARTS) {
    const expected = JSON.stringify(own[part]);
    const received = JSON.stringify(given[part]);
    if (expected.toLowerCase() === received.toLowerCase()) continue;
    throw new ArcadeChainError(
      "CALL_REFUSED",
      `The ${name}'s ${part}: expected ${expected}, received ${received}; it was not signed. Is this the service that you mean?`,
      { mismatch: { field: `${name}.${part}`, expected, received } },
    );
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Compare hex by value: an address has several spellings. */
function isSame(expected: unknown, received: unknown): boolean {
  if (typeof expected === "string" && typeof received === "string" && expected.startsWith("0x"))
    return expected.toLowerCase() === received.toLowerCase();
  if (!isObject(expected) || !isObject(received)) return expected === received;
  const fields = Object.keys(expected);
  return (
    fields.length === Object.keys(received).length && fields.every((field) => isSame(expected[field], received[field]))
  );
}

function encode(call: Call): Hex | null {
  try {
    return createCall(call.chainId, call.to, call.functionName, call.args).data;
  } catch {
    // An unknown function, or arguments that do not fit it.
    return null;
  }
}

/**
 * Throws `CALL_REFUSED` with the first field that differs: chain, contract, function, argument, ether value, or data
 * that do not encode exactly this call.
 */
export function checkCall(call: Call, expected: CallExpectation): void {
  for (const field of ["chainId", "to", "functionName"] as const)
    if (!isSame(expected[field], call[field])) throw createRefusal(field, expected[field], call[field]);
  if (call.value !== "0") throw createRefusal("value", "0", call.value);
  expected.args.forEach((argument, index) => {
    if (argument !== undefined && !isSame(argument, call.args[index]))
      throw createRefusal(`args[${index}]`, argument, call.args[index]);
  });
  const data = encode(call);
  if (data === null || data !== call.data)
    throw createRefusal("data", data ?? `the data of ${call.functionName}`, call.data);
}
