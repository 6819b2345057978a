import { type Address, type Hex, hashMessage, keccak256, stringToHex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { describeForm, isErc6492Signature, toCanonicalSignature } from "../../../domain/signature-form.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { Worker } from "../../ports/system.ts";

/** How a wallet has signed: with its own key, or as a contract (ERC-1271). */
export type SignatureProof = "key" | "contract";

interface ProofPorts {
  readonly chain: Pick<ChainReader, "hasCode" | "isValidSignature">;
  readonly worker: Pick<Worker, "recoverDigest">;
  readonly allowErc1271: boolean;
}

/** Something else that wallets sign by mistake. */
interface Mistake {
  readonly digest: Hex;
  /** What the wallet signed, and what to do. */
  readonly text: string;
}

export interface SignatureClaim {
  readonly wallet: Address;
  readonly signature: Hex;
  /** The address that the signature recovers to; null if it is invalid. */
  readonly recovered: Address | null;
  /** The digest that a contract wallet checks. */
  readonly getDigest: () => Hex;
  /** What to sign, for the error's message. */
  readonly instruction: string;
  /** Evaluated only after a failure. */
  readonly listMistakes: () => readonly Mistake[];
  /** A contract checks the signature, too: the wallet must be deployed. */
  readonly isForChain?: true;
}

export interface ProvenSignature {
  readonly proof: SignatureProof;
  /** What to store and to send to contracts. */
  readonly signature: Hex;
}

const digestOfRaw = (raw: Hex): Hex => hashMessage({ raw });

/** What wallets sign by mistake instead of a text. */
export const listMessageMistakes = (message: string): readonly Mistake[] => [
  {
    digest: keccak256(stringToHex(message)),
    text: "the text without the prefix of EIP-191 (eth_sign); use personal_sign",
  },
  { digest: hashMessage(stringToHex(message)), text: "the text's hex digits; give personal_sign the text itself" },
  { digest: digestOfRaw(keccak256(stringToHex(message))), text: "the text's hash; sign the text itself" },
  ...[message.replaceAll(/\r?\n/g, "\r\n"), message.replaceAll("\r\n", "\n"), `${message}\n`, message.trimEnd()].map(
    (other) => ({
      digest: hashMessage(other),
      text: "the text with other line ends; send exactly the text that was signed",
    }),
  ),
];

/** What wallets sign by mistake instead of typed data with this digest. */
export const listTypedDataMistakes = (digest: Hex): readonly Mistake[] => [
  { digest: digestOfRaw(digest), text: "the digest as a message (personal_sign); use eth_signTypedData_v4" },
  { digest: hashMessage(digest), text: "the digest's hex digits as a message; use eth_signTypedData_v4" },
];

/** Describes what was received instead, as part of a sentence. */
async function describe({ chain, worker, allowErc1271 }: ProofPorts, claim: SignatureClaim): Promise<string> {
  const { wallet, signature, recovered, listMistakes, instruction } = claim;
  if (claim.isForChain && isErc6492Signature(signature))
    return "one of a wallet that is not deployed (ERC-6492); deploy it first, since a contract checks this signature";
  if (recovered === null) {
    const { text, isContracts } = describeForm(signature);
    if (!isContracts) return `${text}; ${instruction}`;
    if (allowErc1271) return `${text}, which the wallet's contract does not accept (ERC-1271); ${instruction}`;
    return `${text}; this service accepts signatures of keys only (ARCADE_AUTH_ALLOW_ERC1271), so sign in with an address that has a key`;
  }
  for (const { digest, text } of listMistakes())
    if ((await worker.recoverDigest(digest, signature)) === wallet) return `one of ${text}`;
  // Without ERC-1271 no sign-in depends on the node: ignore its errors.
  const isContract = await chain.hasCode(wallet).catch((error: unknown) => {
    if (allowErc1271) throw error;
    return false;
  });
  if (!isContract) return `one by ${recovered}; ${instruction}`;
  if (allowErc1271)
    return `one by ${recovered}, which the wallet's contract does not accept (ERC-1271); ${instruction}`;
  return `one by ${recovered}; ${instruction}. The wallet has a contract, and this service accepts signatures of keys only (ARCADE_AUTH_ALLOW_ERC1271)`;
}

/**
 * How the wallet has signed. The key is tried first: an account with delegated code (EIP-7702) still signs with its
 * key. Throws `SIGNATURE_INVALID`.
 */
export async function proveSignature(ports: ProofPorts, claim: SignatureClaim): Promise<ProvenSignature> {
  const { chain, allowErc1271 } = ports;
  const { wallet, signature, recovered, getDigest } = claim;
  if (recovered === wallet) return { proof: "key", signature: toCanonicalSignature(signature) };
  const isUndeployed = isErc6492Signature(signature);
  const isAsked = allowErc1271 && !(isUndeployed && claim.isForChain);
  if (isAsked && (isUndeployed || (await chain.hasCode(wallet)))) {
    if (await chain.isValidSignature(wallet, getDigest(), signature)) return { proof: "contract", signature };
  }
  const received = await describe(ports, claim);
  throw new ArcadeError("SIGNATURE_INVALID", `Expected a signature by ${wallet}, received ${received}.`, {
    expected: wallet,
    received: recovered ?? describeForm(signature).text,
  });
}
