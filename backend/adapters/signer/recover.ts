import type { Hex } from "viem";
import { toCanonicalSignature } from "../../../domain/signature-form.ts";
import { type Ecdsa, ecdsa } from "./ecdsa.ts";
import { keccak256 } from "./keccak.ts";
import { recoverAddress } from "./secp256k1.ts";

const SIGNATURE_PATTERN = /^0x[0-9a-fA-F]{130}$/;

/** The digest that wallets sign for a text (EIP-191, version 0x45). */
export function hashMessage(message: string): Uint8Array {
  const text = Buffer.from(message, "utf8");
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`, "latin1"), text]));
}

/**
 * The signer of a 32-byte digest, from 65 bytes or the 64 of EIP-2098. Null when the signature is malformed, not low-s
 * (EIP-2), or invalid.
 */
export function recoverSigner(digest: Uint8Array, signature: Hex, build: Ecdsa = ecdsa): Hex | null {
  const canonical = toCanonicalSignature(signature);
  if (!SIGNATURE_PATTERN.test(canonical)) return null;
  const bytes = Buffer.from(canonical.slice(2), "hex");
  // EIP-155 values are for transactions only.
  const recoveryId = bytes[64]! - 27;
  return recoveryId === 0 || recoveryId === 1 ? recoverAddress(digest, bytes.subarray(0, 64), recoveryId, build) : null;
}
