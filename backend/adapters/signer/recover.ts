import { type Ecdsa, ecdsa } from "./ecdsa.ts";
import { keccak256 } from "./keccak.ts";
import { recoverAddress } from "./secp256k1.ts";

type Hex = `0x${string}`;

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/** The digest that wallets sign for a text (EIP-191, version 0x45): its UTF-8 behind its length in bytes. */
export function hashMessage(message: string): Uint8Array {
  const text = Buffer.from(message, "utf8");
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`, "latin1"), text]));
}

/** 0 or 1 out of v, which wallets write as 27 and 28 or as 0 and 1 (EIP-155 forms are for transactions alone). */
function recoveryIdOf(v: number): 0 | 1 | null {
  const id = v >= 27 ? v - 27 : v;
  return id === 0 || id === 1 ? id : null;
}

/** Whose signature of a 32-byte digest it is. Null where it is malformed, not 65 bytes, not low-s (EIP-2), or of no key. */
export function recoverSigner(digest: Uint8Array, signature: Hex, build: Ecdsa = ecdsa): Hex | null {
  if (!SIGNATURE.test(signature)) return null;
  const bytes = Buffer.from(signature.slice(2), "hex");
  const recoveryId = recoveryIdOf(bytes[64]!);
  return recoveryId === null ? null : recoverAddress(digest, bytes.subarray(0, 64), recoveryId, build);
}
