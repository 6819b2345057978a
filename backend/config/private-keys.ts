import { readFileSync } from "node:fs";
import type { Hex } from "viem";
import { parsePrivateKey } from "../domain/keys.ts";

/**
 * Reads a private key given as `0x` and 64 hex digits, or as `@file` with them inside.
 * @param name Says which key it is in the error's message.
 * @throws Error whose message never contains the key.
 */
export function readPrivateKey(name: string, value: string): Hex {
  if (!value.startsWith("@")) return parsePrivateKey(name, value);
  let text: string;
  try {
    text = readFileSync(value.slice(1), "utf8").trim();
  } catch {
    throw new Error(`${name}: the file after @ cannot be read`);
  }
  return parsePrivateKey(name, text);
}
