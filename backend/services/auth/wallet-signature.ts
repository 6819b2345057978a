import type { Address, Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { ChainReader } from "../../ports/chain.ts";

/** How a wallet has signed: with its own key, or as a contract (ERC-1271). */
export type SignatureProof = "key" | "contract";

interface ProofPorts {
  readonly chain: Pick<ChainReader, "hasCode" | "isValidSignature">;
  readonly allowErc1271: boolean;
}

export interface SignatureClaim {
  readonly wallet: Address;
  readonly signature: Hex;
  /** The address that the signature recovers to, null where it recovers to none. */
  readonly recovered: Address | null;
  /** The digest that a contract wallet is asked about. */
  readonly getDigest: () => Hex;
  /** What to sign, for the error's message. */
  readonly instruction: string;
}

/**
 * How the wallet has signed. The key is tried first: an account with delegated code (EIP-7702) still signs with its
 * key. Throws `SIGNATURE_INVALID`.
 */
export async function proveSignature(ports: ProofPorts, claim: SignatureClaim): Promise<SignatureProof> {
  const { chain, allowErc1271 } = ports;
  const { wallet, signature, recovered, getDigest, instruction } = claim;
  if (recovered === wallet) return "key";
  if (allowErc1271 && (await chain.hasCode(wallet)) && (await chain.isValidSignature(wallet, getDigest(), signature))) {
    return "contract";
  }
  const received = recovered ?? "a signature that is not 65 bytes with a low s";
  const message = `Expected a signature by ${wallet}, received one by ${received}; ${instruction}.`;
  throw new ArcadeError("SIGNATURE_INVALID", message, { expected: wallet, received });
}
