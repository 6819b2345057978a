import { createHash } from "node:crypto";
import { ArcadeError } from "../domain/errors.ts";
import {
  type AgentDocument,
  type AgentFacts,
  identityMetadata,
  REGISTRATION_TIMES,
  registryOf,
} from "../domain/identity.ts";
import { isoOf } from "../domain/time.ts";
import type { Address, ChainReader, Clock, Hex, IdentityStore } from "../ports.ts";
import { asOfNow } from "./as-of.ts";
import type { SignedCalls } from "./signed-call.ts";

interface IdentityPorts {
  readonly store: IdentityStore;
  readonly chain: ChainReader;
  readonly clock: Clock;
  readonly signedCall: SignedCalls;
  readonly publicUrl: () => string;
}

export interface RegisterRequest extends AgentFacts {
  readonly walletAddress: Address;
  readonly chainId?: number | undefined;
  readonly verifyingContract?: Address | undefined;
  readonly nonce?: string | undefined;
  readonly deadline?: string | undefined;
}

export type Identity = ReturnType<typeof makeIdentity>;

const CACHE_MS = 30_000;
const CACHE_ENTRIES = 10_000;

/** Registration, ownership and metadata of agent identities. */
export function makeIdentity({ store, chain, clock, signedCall, publicUrl }: IdentityPorts) {
  const { chainId, identity: registry } = chain.deployment;
  const cache = new Map<Address, { readonly agentId: string; readonly untilMs: number }>();

  /** The wallet's identity as a decimal string; a positive answer may be 30 s old unless `fresh`. */
  async function agentIdOnChain(wallet: Address, fresh = false): Promise<string | null> {
    const cached = cache.get(wallet);
    if (!fresh && cached !== undefined && cached.untilMs > clock.monotonicMs()) return cached.agentId;
    const agentId = await chain.identityOf(wallet);
    cache.delete(wallet);
    if (agentId === null) return null;
    if (cache.size >= CACHE_ENTRIES) cache.delete(cache.keys().next().value!);
    cache.set(wallet, { agentId: agentId.toString(), untilMs: clock.monotonicMs() + CACHE_MS });
    return agentId.toString();
  }

  /** Stores a document under the sha256 of its exact bytes and tells where it is served. */
  async function publish(metadata: object): Promise<{ digest: Hex; tokenURI: string }> {
    const bytes = JSON.stringify(metadata);
    const digest = createHash("sha256").update(bytes).digest("hex");
    await store.putMetadata(digest, bytes, clock.nowMs());
    return { digest: `0x${digest}`, tokenURI: `${publicUrl()}/api/metadata/identity/${digest}.json` };
  }

  /** The document an identity points to, where it is ours; null otherwise. */
  async function documentOf(agentId: string): Promise<AgentDocument | null> {
    const token = await chain.identity(BigInt(agentId));
    // Named by its content, so whatever host the URI was deployed with, the digest is the document.
    const digest = /\/api\/metadata\/identity\/([0-9a-f]{64})\.json$/.exec(token?.tokenURI ?? "")?.[1];
    const bytes = digest === undefined ? null : await store.findMetadata(digest);
    return bytes === null ? null : (JSON.parse(bytes) as AgentDocument);
  }

  /** The optional facts a caller may state are compared with the chain, so that a wrong client fails here and not there. */
  async function checkStated(request: RegisterRequest, nonce: bigint, blockTime: number): Promise<bigint | undefined> {
    if (request.chainId !== undefined && request.chainId !== chainId) {
      throw new ArcadeError("UNSUPPORTED_CHAIN", `Expected chainId ${chainId}, received ${request.chainId}.`, {
        expected: chainId,
        received: request.chainId,
      });
    }
    if (request.verifyingContract !== undefined && request.verifyingContract !== registry) {
      throw new ArcadeError(
        "CONTRACT_MISMATCH",
        `Expected verifyingContract ${registry}, received ${request.verifyingContract}.`,
        { expected: registry, received: request.verifyingContract },
      );
    }
    if (request.nonce !== undefined && BigInt(request.nonce) !== nonce) {
      throw new ArcadeError(
        "NONCE_MISMATCH",
        `Expected nonce ${nonce} (the wallet's next on chain), received ${request.nonce}.`,
        { expected: nonce.toString(), received: request.nonce },
      );
    }
    if (request.deadline === undefined) return undefined;
    const deadline = BigInt(request.deadline);
    const earliest = BigInt(blockTime + REGISTRATION_TIMES.minSeconds);
    const latest = BigInt(blockTime + REGISTRATION_TIMES.maxSeconds);
    if (deadline < earliest || deadline > latest) {
      throw new ArcadeError(
        "DEADLINE_OUT_OF_RANGE",
        `Expected a deadline from ${earliest} to ${latest} (unix seconds), received ${deadline}.`,
        {
          earliest: earliest.toString(),
          latest: latest.toString(),
          received: deadline.toString(),
        },
      );
    }
    return deadline;
  }

  return {
    /** As `agentIdOnChain`, and null instead of a fault when the chain is away: sign-in does not depend on it. */
    async agentIdOf(wallet: Address): Promise<string | null> {
      try {
        return await agentIdOnChain(wallet);
      } catch (fault) {
        if (fault instanceof ArcadeError && fault.code === "CHAIN_UNAVAILABLE") return null;
        throw fault;
      }
    },

    /** Throws `IDENTITY_REQUIRED` unless the wallet holds its identity. Answers the id. */
    async requireIdentity(wallet: Address, fresh = false): Promise<string> {
      const agentId = await agentIdOnChain(wallet, fresh);
      if (agentId !== null) return agentId;
      throw new ArcadeError(
        "IDENTITY_REQUIRED",
        `Expected ${wallet} to hold an agent identity, it holds none; register it first (POST /api/identity/register).`,
        {
          next: { method: "POST", path: "/api/identity/register", body: { walletAddress: wallet } },
        },
      );
    },

    publish,
    documentOf,

    /** The name an identity was registered with, where its document is ours; null otherwise. */
    nameOf: async (agentId: string): Promise<string | null> => (await documentOf(agentId))?.name ?? null,

    async register(request: RegisterRequest) {
      const { walletAddress: wallet } = request;
      const [held, nonce, head] = await Promise.all([
        chain.identityOf(wallet),
        chain.mintNonceOf(wallet),
        chain.head(),
      ]);
      if (held !== null)
        throw new ArcadeError("ALREADY_REGISTERED", `${wallet} holds identity ${held} already.`, {
          agentId: held.toString(),
        });
      const deadline = await checkStated(request, nonce, head.timestamp);
      const url = publicUrl();
      const metadata = identityMetadata(request, {
        wallet,
        image: `${url}/api/metadata/identity/${wallet}.svg`,
        externalUrl: `${url}/`,
      });
      const { digest, tokenURI } = await publish(metadata);
      const facts = { to: wallet, metadataDigest: digest, nonce: nonce.toString() };
      const signed = await signedCall({
        duty: "identity",
        primaryType: "MintIdentity",
        verifyingContract: registry,
        // A wallet may ask again with another description until it has minted: the digest belongs to the key.
        key: `${wallet}:${nonce}:${digest}`,
        facts,
        ttlSeconds: REGISTRATION_TIMES.defaultSeconds,
        ...(deadline === undefined ? {} : { deadline }),
        functionName: "mintIdentityWithSignature",
        args: [wallet, digest],
      });
      return { ...signed, tokenURI, metadata, nonce: nonce.toString() };
    },

    async ownershipStatus({
      walletAddress,
      agentId,
    }: {
      readonly walletAddress: Address;
      readonly agentId?: string | undefined;
    }) {
      const id = agentId === undefined ? await chain.identityOf(walletAddress) : BigInt(agentId);
      const token = id === null ? null : await chain.identity(id);
      return {
        owned: token?.owner === walletAddress,
        agentId: token === null ? null : String(id),
        owner: token?.owner ?? null,
        tokenURI: token?.tokenURI ?? null,
        registry: registryOf(chainId, registry),
        asOf: await asOfNow(chain),
      };
    },

    /** The exact bytes behind a metadata digest, null where there are none. */
    findMetadata: (digest: string) => store.findMetadata(digest),

    async profile(wallet: Address) {
      const row = await store.findProfile(wallet);
      return row === null ? null : { ...row, updatedAt: isoOf(row.updatedAtMs) };
    },
  };
}
