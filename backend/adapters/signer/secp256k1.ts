import type { Hex } from "viem";
import { CURVE_ORDER } from "../../../domain/keys.ts";
import { type Ecdsa, ecdsa } from "./ecdsa.ts";
import { keccak256, toHex } from "./keccak.ts";

const DIGEST_BYTES = 32;
const COMPACT_BYTES = 64;
/** Half of the group's order, 32 bytes: a larger s is the other signature of the same message (EIP-2). */
const HALF_CURVE_ORDER = Buffer.from((CURVE_ORDER / 2n).toString(16), "hex");

/** The address of an uncompressed public key, with the checksum of EIP-55. */
function publicKeyToAddress(publicKey: Uint8Array): Hex {
  const digits = Buffer.from(keccak256(publicKey.subarray(1)).subarray(12)).toString("hex");
  const checksum = keccak256(Buffer.from(digits, "latin1"));
  let address = "0x";
  for (let i = 0; i < digits.length; i++) {
    const nibble = i % 2 === 0 ? checksum[i >> 1]! >> 4 : checksum[i >> 1]! & 15;
    address += nibble >= 8 ? digits[i]!.toUpperCase() : digits[i];
  }
  return address as Hex;
}

export interface SigningKey {
  readonly address: Hex;
  /** r, s and v (27 or 28) of a 32-byte digest: 65 bytes as hex. */
  signDigest(digest: Uint8Array): Hex;
}

/**
 * `privateKey`: checked by `parsePrivateKey`. It stays in a closure, so that nothing prints, serializes or throws it.
 */
export function createSigningKey(privateKey: Hex, build: Ecdsa = ecdsa): SigningKey {
  const key = Buffer.alloc(32);
  key.write(privateKey.slice(2), "hex");
  const publicKey = build.getPublicKey(key);
  if (publicKey === null) throw new Error("The number is not a private key of secp256k1");
  return {
    address: publicKeyToAddress(publicKey),
    signDigest(digest) {
      // The library would fill up a shorter digest with bytes of the previous one.
      if (digest.length !== DIGEST_BYTES) throw new Error(`Expected a digest of ${DIGEST_BYTES} bytes`);
      const signed = build.sign(digest, key);
      // A recovery id above 1 (an r beyond the order, one in 2^127) has no v that contracts accept.
      if (signed === null || signed.recoveryId > 1) throw new Error("The digest could not be signed");
      return `${toHex(signed.compact)}${signed.recoveryId === 0 ? "1b" : "1c"}`;
    },
  };
}

/**
 * The address of the signer. `compact`: r and s, 64 bytes; `recoveryId`: 0 or 1.
 * Null when a length is wrong, s is not low, r or s is outside the group, or r is not the x of a point.
 */
export function recoverAddress(
  digest: Uint8Array,
  compact: Uint8Array,
  recoveryId: 0 | 1,
  build: Ecdsa = ecdsa,
): Hex | null {
  if (digest.length !== DIGEST_BYTES || compact.length !== COMPACT_BYTES) return null;
  if (HALF_CURVE_ORDER.compare(compact, 32, 64) < 0) return null;
  const publicKey = build.recover(digest, compact, recoveryId);
  return publicKey === null ? null : publicKeyToAddress(publicKey);
}
