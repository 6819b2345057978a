import { readFileSync } from "node:fs";

type Hex = `0x${string}`;

/** Order of secp256k1 (SEC 2, section 2.4.1): a private key is below it and not 0. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Reads a private key given as `0x` and 64 hex digits, or as `@file` with them inside.
 * Throws a sentence that never holds the key. `name` says which key it is.
 */
export function parsePrivateKey(name: string, value: string): Hex {
  let text = value;
  if (value.startsWith("@")) {
    try {
      text = readFileSync(value.slice(1), "utf8").trim();
    } catch {
      throw new Error(`${name}: the file after @ cannot be read`);
    }
  }
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new Error(`${name}: expected 0x and 64 hex digits, or @file with them`);
  const number = BigInt(text);
  if (number === 0n || number >= ORDER) throw new Error(`${name}: the number is not a private key of secp256k1`);
  return text.toLowerCase() as Hex;
}
