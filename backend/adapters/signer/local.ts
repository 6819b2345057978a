import type { Hex } from "viem";
import type { Signer } from "../../ports/system.ts";
import { type Ecdsa, ecdsa } from "./ecdsa.ts";
import { hashTypedData } from "./hash-typed-data.ts";
import { toHex } from "./keccak.ts";
import { createSigningKey } from "./secp256k1.ts";

/**
 * A signer with a key in this process: deterministic (RFC 6979) and low-s (EIP-2), so that the same message always has
 * the same signature. A signature takes 30 to 70 us, about as long as a round trip to another thread, so it is made in
 * this thread.
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
