import type { TypedData } from "../domain/typed-data.ts";

/** One key, one duty. */
export type SignerDuty = "identity" | "score" | `nft:${string}`;

export interface Signer {
  readonly address: `0x${string}`;
  /** 65-byte low-s signature (r, s, v), deterministic by RFC 6979. Throws `SIGNER_UNAVAILABLE`. */
  sign(typedData: TypedData): Promise<{ readonly signature: `0x${string}`; readonly digest: `0x${string}` }>;
}

export type Signers = (duty: SignerDuty) => Signer;
