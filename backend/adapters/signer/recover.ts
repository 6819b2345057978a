import type { Hex } from "viem";
import { type Ecdsa, ecdsa } from "./ecdsa.ts";
import { keccak256 } from "./keccak.ts";
import { recoverAddress } from "./secp256k1.ts";

const SIGNATURE_PATTERN = /^0x[0-9a-fA-F]{130}$/;

/** The digest that wallets sign for a text (EIP-191, version 0x45). */
export function hashMessage(message: string): Uint8Array {
  const text = Buffer.from(message, "utf8");
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`, "latin1"), text]));
}

/** The recovery id of v, which is 27 or 28, or 0 or 1; EIP-155 values are for transactions only. */
function toRecoveryId(v: number): 0 | 1 | null {
  const id = v >= 27 ? v - 27 : v;
  return id === 0 || id === 1 ? id : null;
}

/** The signer of a 32-byte digest. Null when the signature is malformed, not 65 bytes, not low-s (EIP-2), or invalid. */
export function recoverSigner(digest: Uint8Array, signature: Hex, build: Ecdsa = ecdsa): Hex | null {
  if (!SIGNATURE_PATTERN.test(signature)) return null;
  const bytes = Buffer.from(signature.slice(2), "hex");
  const recoveryId = toRecoveryId(bytes[64]!);
  return recoveryId === null ? null : recoverAddress(digest, bytes.subarray(0, 64), recoveryId, build);
}
