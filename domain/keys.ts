import type { Address, Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";

/** Order of the secp256k1 group (SEC 2, section 2.4.1). */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Checks a private key of secp256k1 and returns it as `0x` and 64 lower-case hex digits. Wallets export keys without
 * `0x`, and copied text has line ends around it.
 * @param name The key's name in error messages.
 * @throws Error whose message never contains the key.
 */
export function parsePrivateKey(name: string, text: string): Hex {
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim())?.[1]?.toLowerCase();
  if (digits === undefined)
    throw new Error(
      `${name}: expected 0x and 64 hex digits, @file with them, or keystore:FILE,PASSPHRASE_FILE, received ${describeKey(text.trim())}`,
    );
  const number = BigInt(`0x${digits}`);
  if (number === 0n || number >= CURVE_ORDER) throw new Error(`${name}: the number is not a private key of secp256k1`);
  return `0x${digits}`;
}

/** What was received, without the secret. */
function describeKey(text: string): string {
  const words = text.split(/\s+/).length;
  return words > 1 ? `${words} words (a seed phrase is not a key)` : `${text.length} characters`;
}

/** A key that another process holds, which signs for this address over HTTP. */
export interface RemoteKey {
  readonly address: Address;
  readonly url: string;
  /** The bearer token of the requests; null: none. */
  readonly token: string | null;
}

/** A private key (`0x` and 64 hex digits), or where another process holds it. */
export type KeySource = Hex | RemoteKey;

export const getKeyAddress = (key: KeySource): Address =>
  typeof key === "string" ? privateKeyToAddress(key) : key.address;
