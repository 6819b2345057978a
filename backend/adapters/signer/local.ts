import type { Signer } from "../../ports.ts";
import { type Ecdsa, ecdsa } from "./ecdsa.ts";
import { hashTypedData } from "./hash-typed-data.ts";
import { toHex } from "./keccak.ts";
import { createSigningKey } from "./secp256k1.ts";

type Hex = `0x${string}`;

/**
 * Signs with a key in this process: deterministic (RFC 6979) and low-s (EIP-2), so that the same message always has
 * the same signature. A signature takes 30 to 70 us, about what it would cost to hand it to another thread and back,
 * so it is made here, one at a time.
 */
export function createLocalSigner(privateKey: Hex, build: Ecdsa = ecdsa): Signer {
  const key = createSigningKey(privateKey, build);
  return {
    address: key.address,
    sign: async (typedData) => {
      const digest = hashTypedData(typedData);
      return { signature: key.signDigest(digest), digest: toHex(digest) };
    },
  };
}
