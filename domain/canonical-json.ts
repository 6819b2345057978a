/** Canonical JSON (RFC 8785, JCS): equal values have equal texts, so that texts can be compared and hashed. */
import canonicalize from "canonicalize";
import type { Hex } from "viem";
import { keccak256, stringToBytes } from "viem";

/** Throws `TypeError` for a value that is not JSON. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("canonicalJson: the value is not JSON");
  return text;
}

/** keccak256 of the canonical text. */
export const digestJson = (value: unknown): Hex => keccak256(stringToBytes(canonicalJson(value)));
