/** The measured endpoints: their requests, and whether a response has the requested signature. */
import type { Address, Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { toHex } from "../../../backend/adapters/signer/keccak.ts";
import { recoverDigest } from "../../../backend/adapters/worker/tasks.ts";
import { toGameId } from "../../../domain/replay/replay.ts";
import { createTypedData, type PrimaryType } from "../../../domain/typed-data/messages.ts";
import { createWallet, getClientAddress, getToken } from "../server/identities.ts";
import type { Answer, EndpointRequest } from "./load.ts";
import { SLUG, type World } from "./world.ts";

export interface Endpoint {
  readonly name: string;
  /** Different facts for each number. */
  createRequest(n: number): EndpointRequest;
  /** Whether the answer to the request with this number holds the signature of its facts. */
  isSigned(n: number, answer: Answer): boolean;
}

interface SignedAnswer {
  readonly signature: Hex;
  readonly deadline: string;
  readonly metadata?: object;
  readonly typedData: { readonly message: { readonly metadataDigest?: Hex } };
  readonly call: { readonly data: Hex };
}

function isSignedBy(
  signer: Address,
  primaryType: PrimaryType,
  context: { readonly chainId: number; readonly verifyingContract: Address; readonly slug?: string },
  message: object,
  { signature, call }: SignedAnswer,
): boolean {
  const digest = toHex(hashTypedData(createTypedData(primaryType, context, { ...message })));
  return recoverDigest({ digest, signature }) === signer && call.data.includes(signature.slice(2));
}

function parse({ status, body }: Answer): SignedAnswer | null {
  return status === 200 ? (JSON.parse(body) as SignedAnswer) : null;
}

export function createEndpoints({ sessions, deployment, keys }: World): readonly Endpoint[] {
  const { chainId, rewards, identity, nft } = deployment;
  const score = privateKeyToAddress(keys.score);
  const registrar = privateKeyToAddress(keys.identity);
  const minter = privateKeyToAddress(keys.nft[SLUG]!);
  /** Not yet on chain. */
  const open = sessions.filter(({ isOnChain }) => !isOnChain);
  return [
    {
      name: "rewards/snapshot",
      createRequest: (n) => ({
        path: "/api/rewards/snapshot",
        headers: {
          Authorization: `Bearer ${getToken(n)}`,
          "X-Forwarded-For": getClientAddress(n),
        },
        body: { sessionId: open[n]!.sessionId },
      }),
      isSigned: (n, answer) => {
        const signed = parse(answer);
        if (signed === null) return false;
        const { wallet, score: points, gameSessionHash } = open[n]!;
        const facts = { wallet, gameId: toGameId(SLUG), score: String(points), gameSessionHash };
        const context = { chainId, verifyingContract: rewards };
        return isSignedBy(score, "Snapshot", context, { ...facts, deadline: signed.deadline }, signed);
      },
    },
    {
      name: "identity/register",
      createRequest: (n) => ({
        path: "/api/identity/register",
        headers: { "X-Forwarded-For": getClientAddress(n) },
        body: { walletAddress: createWallet(1_000_000 + n), agentName: `Agent ${n}`, description: "A benchmark." },
      }),
      isSigned: (n, answer) => {
        const signed = parse(answer);
        if (signed === null) return false;
        const { metadataDigest } = signed.typedData.message;
        const message = { to: createWallet(1_000_000 + n), metadataDigest, nonce: "0", deadline: signed.deadline };
        return isSignedBy(registrar, "MintIdentity", { chainId, verifyingContract: identity }, message, signed);
      },
    },
    {
      name: "nft/prepare",
      createRequest: (n) => ({
        path: `/api/games/${SLUG}/nft/prepare`,
        headers: { Authorization: `Bearer ${getToken(n)}`, "X-Forwarded-For": getClientAddress(n) },
        body: {},
      }),
      isSigned: (n, answer) => {
        const signed = parse(answer);
        if (signed === null) return false;
        const { wallet, agentId, score: points } = sessions[n]!;
        const context = { chainId, verifyingContract: nft[SLUG]!, slug: SLUG };
        const message = { wallet, agentId, score: String(points), deadline: signed.deadline };
        return isSignedBy(minter, "MintGameNft", context, message, signed);
      },
    },
  ];
}
