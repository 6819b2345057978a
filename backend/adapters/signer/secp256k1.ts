import { type Ecdsa, ecdsa } from "./ecdsa.ts";
import { keccak256, toHex } from "./keccak.ts";

type Hex = `0x${string}`;

const DIGEST_BYTES = 32;
const COMPACT_BYTES = 64;
/** Half of the group's order: a larger s is the other signature of the same message (EIP-2). */
const HALF_ORDER = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex");

/** The address of an uncompressed public key, in the letter case of EIP-55. */
function addressOf(publicKey: Uint8Array): Hex {
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

/** Takes a checked key (`parsePrivateKey`) and keeps it inside: nothing prints, serializes or throws it. */
export function createSigningKey(privateKey: Hex, build: Ecdsa = ecdsa): SigningKey {
  const key = Buffer.alloc(32);
  key.write(privateKey.slice(2), "hex");
  const publicKey = build.publicKeyOf(key);
  if (publicKey === null) throw new Error("The number is not a private key of secp256k1");
  return {
    address: addressOf(publicKey),
    signDigest(digest) {
      // The library would fill up a shorter digest with what it signed before.
      if (digest.length !== DIGEST_BYTES) throw new Error(`Expected a digest of ${DIGEST_BYTES} bytes`);
      const signed = build.sign(digest, key);
      // A recovery id above 1 (an r beyond the order, one in 2^127) has no v that contracts take.
      if (signed === null || signed.recoveryId > 1) throw new Error("The digest could not be signed");
      return `${toHex(signed.compact)}${signed.recoveryId === 0 ? "1b" : "1c"}`;
    },
  };
}

/**
 * Whose signature it is. `compact`: r and s, 64 bytes; `recoveryId`: 0 or 1.
 * Null where a length is another, s is not low, r or s is outside the group, or r is of no point.
 */
export function recoverAddress(
  digest: Uint8Array,
  compact: Uint8Array,
  recoveryId: 0 | 1,
  build: Ecdsa = ecdsa,
): Hex | null {
  if (digest.length !== DIGEST_BYTES || compact.length !== COMPACT_BYTES) return null;
  if (HALF_ORDER.compare(compact, 32, 64) < 0) return null;
  const publicKey = build.recover(digest, compact, recoveryId);
  return publicKey === null ? null : addressOf(publicKey);
}
