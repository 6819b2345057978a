import { createHash } from "node:crypto";
import { type Address, getAddress, type Hex } from "viem";
import { ArcadeError, type ErrorCode } from "../../../domain/errors.ts";
import {
  type AgentDocument,
  type AgentFacts,
  createIdentityMetadata,
  createRegistrationFile,
  getDocumentWallet,
  REGISTRATION_FILES_PATH,
  REGISTRATION_TIMES,
  toAgentRegistry,
} from "../../../domain/identity.ts";
import { nextSteps } from "../../../domain/next-steps.ts";
import type { ChainFacts, ChainIndex, ChainReader, Fresh, FreshReads } from "../../ports/chain.ts";
import type { ChainFactStore } from "../../ports/store/chain-facts.ts";
import type { IdentityStore } from "../../ports/store/identity.ts";
import type { Clock } from "../../ports/system.ts";
import { toAsOf } from "../chain-reads.ts";
import type { SignedCalls } from "../signed-calls.ts";
import { createIdentityMint } from "../signing-requests.ts";

interface IdentityPorts {
  readonly store: Pick<IdentityStore, "putMetadata" | "findMetadata">;
  readonly registrations: Pick<ChainFactStore, "listRegistrations">;
  readonly chain: Pick<ChainReader, "deployment" | "openFreshReads">;
  readonly facts: Pick<ChainFacts, "getPrimaryIdentity" | "getIdentity" | "listIdentities">;
  readonly index: Pick<ChainIndex, "getStoredHead" | "getFinality" | "waitForHead" | "waitForNextPoll">;
  readonly clock: Clock;
  readonly signedCalls: SignedCalls;
  readonly publicUrl: () => string;
}

export interface RegisterRequest extends AgentFacts {
  readonly walletAddress: Address;
  readonly chainId?: number | undefined;
  readonly verifyingContract?: Address | undefined;
  readonly nonce?: string | undefined;
  /** Unix seconds. */
  readonly deadline?: string | undefined;
}

interface MetadataDocument {
  readonly bytes: string;
  /** SHA-256 of the bytes. */
  readonly digest: Hex;
}

/** The digest in the URI of a document that this service serves. The host of the URI does not matter. */
const DOCUMENT_URI = /\/api\/metadata\/(?:agent|identity)\/([0-9a-f]{64})\.json$/;

const isHeld = (identity: Fresh<bigint | null>): identity is Fresh<bigint> => identity.value !== null;

/** Throws if the caller has stated a fact that differs. */
function checkFact<T extends string | number>(
  code: ErrorCode,
  name: string,
  received: T | undefined,
  expected: T,
  remark = "",
): void {
  if (received === undefined || received === expected) return;
  const message = `Expected ${name} ${expected}${remark}, received ${received}.`;
  throw new ArcadeError(code, message, { expected, received });
}

/** The requested deadline; undefined if none was requested. Throws `DEADLINE_OUT_OF_RANGE`. */
function parseDeadline(text: string | undefined, blockTime: number): bigint | undefined {
  if (text === undefined) return undefined;
  const deadline = BigInt(text);
  const earliest = BigInt(blockTime + REGISTRATION_TIMES.minSeconds);
  const latest = BigInt(blockTime + REGISTRATION_TIMES.maxSeconds);
  if (deadline >= earliest && deadline <= latest) return deadline;
  throw new ArcadeError(
    "DEADLINE_OUT_OF_RANGE",
    `Expected a deadline from ${earliest} to ${latest} (unix seconds), received ${deadline}.`,
    { earliest: earliest.toString(), latest: latest.toString(), received: deadline.toString() },
  );
}

/** Registration, ownership and metadata of agent identities. */
export class Identity {
  readonly #ports: IdentityPorts;

  constructor(ports: IdentityPorts) {
    this.#ports = ports;
  }

  /** The wallet's identity as a decimal string, from known chain facts, without querying the node. */
  async findAgentId(wallet: Address): Promise<string | null> {
    const primary = await this.#ports.facts.getPrimaryIdentity(wallet);
    return primary === null ? null : primary.toString();
  }

  /**
   * As `findAgentId`, but waits for the next poll first if it is null: a wallet that has just registered may be ahead
   * of the indexer. Throws `IDENTITY_REQUIRED` if the wallet holds none.
   */
  async requireIdentity(wallet: Address): Promise<string> {
    const known = await this.findAgentId(wallet);
    if (known !== null) return known;
    await this.#ports.index.waitForNextPoll();
    const agentId = await this.findAgentId(wallet);
    if (agentId !== null) return agentId;
    throw await this.#createRequiredError(wallet);
  }

  /** The wallet's identity, for signing. Throws as `requireIdentity`. */
  async requireFreshIdentity(reads: FreshReads, wallet: Address): Promise<Fresh<bigint>> {
    const identity = await reads.getPrimaryIdentity(wallet);
    if (isHeld(identity)) return identity;
    throw await this.#createRequiredError(wallet);
  }

  async #createRequiredError(wallet: Address): Promise<ArcadeError> {
    const { chain, facts } = this.#ports;
    const owned = await facts.listIdentities(wallet);
    const [first] = owned;
    if (first === undefined) {
      const message = `Expected ${wallet} to hold an agent identity, it holds none; register it first (POST /api/identity/register).`;
      return new ArcadeError("IDENTITY_REQUIRED", message, { next: nextSteps.register(wallet) });
    }
    const message = `Expected ${wallet} to have a primary identity; it owns ${owned.length} and has chosen none: call setPrimaryIdentity(${first}) of ${chain.deployment.identity}, or register one (POST /api/identity/register).`;
    return new ArcadeError("IDENTITY_REQUIRED", message, { next: nextSteps.findIdentity(wallet) });
  }

  /**
   * Stores a document under the SHA-256 of its exact bytes, and returns its address. `wallet`: keep the document only
   * if this wallet mints an identity; null: keep it forever.
   */
  async publish(
    metadata: object,
    wallet: Address | null,
  ): Promise<{ readonly digest: Hex; readonly tokenURI: string }> {
    const document = this.#createDocument(metadata);
    await this.#storeDocument(document, wallet);
    const { digest } = document;
    return { digest, tokenURI: `${this.#ports.publicUrl()}/api/metadata/identity/${digest.slice(2)}.json` };
  }

  #createDocument(metadata: object): MetadataDocument {
    const bytes = JSON.stringify(metadata);
    return { bytes, digest: `0x${createHash("sha256").update(bytes).digest("hex")}` };
  }

  #storeDocument({ digest, bytes }: MetadataDocument, wallet: Address | null): Promise<void> {
    const { store, clock } = this.#ports;
    return store.putMetadata({ digest: digest.slice(2), bytes, atMs: clock.nowMs(), wallet });
  }

  /** The document that an identity points to; null if this service does not store it. */
  async getDocument(agentId: string): Promise<AgentDocument | null> {
    const { facts, store } = this.#ports;
    const token = await facts.getIdentity(BigInt(agentId));
    const digest = DOCUMENT_URI.exec(token?.tokenURI ?? "")?.[1];
    const bytes = digest === undefined ? null : await store.findMetadata(digest);
    return bytes === null ? null : (JSON.parse(bytes) as AgentDocument);
  }

  /** The name that an identity was registered with; null if this service does not store its document. */
  async getName(agentId: string): Promise<string | null> {
    return (await this.getDocument(agentId))?.name ?? null;
  }

  /** The signed mint of the wallet's identity. Facts that the caller states are checked against the chain first. */
  async register(request: RegisterRequest) {
    const { chain, index, publicUrl } = this.#ports;
    const { chainId, identity: registry } = chain.deployment;
    const { walletAddress: wallet } = request;
    await index.waitForHead();
    const reads = await chain.openFreshReads();
    const [{ value: held }, nonce] = await Promise.all([reads.getPrimaryIdentity(wallet), reads.getMintNonce(wallet)]);
    if (held !== null) {
      const message = `${wallet} holds identity ${held} already.`;
      throw new ArcadeError("ALREADY_REGISTERED", message, { agentId: held.toString() });
    }
    checkFact("UNSUPPORTED_CHAIN", "chainId", request.chainId, chainId);
    checkFact("CONTRACT_MISMATCH", "verifyingContract", request.verifyingContract, registry);
    checkFact("NONCE_MISMATCH", "nonce", request.nonce, nonce.value.toString(), " (the wallet's next on chain)");
    const deadline = parseDeadline(request.deadline, reads.at.nextTimestamp);
    const metadata = createIdentityMetadata(request, {
      wallet,
      image: `${publicUrl()}/api/metadata/identity/${wallet}.svg`,
      externalUrl: `${publicUrl()}/`,
    });
    const document = this.#createDocument(metadata);
    const mint = createIdentityMint({ wallet, metadataDigest: document.digest, nonce, contract: registry, deadline });
    const signed = await this.#ports.signedCalls.prepare(mint, () => this.#storeDocument(document, wallet));
    const tokenURI = `${publicUrl()}${REGISTRATION_FILES_PATH}${document.digest.slice(2)}.json`;
    return { ...signed, tokenURI, metadata, nonce: nonce.value.toString() };
  }

  /** Whether the wallet owns the identity `agentId`, or any identity if `agentId` is left out. */
  async getOwnershipStatus(query: { readonly walletAddress: Address; readonly agentId?: string | undefined }) {
    const { chain, facts, index } = this.#ports;
    const { chainId, identity: registry } = chain.deployment;
    const { walletAddress, agentId } = query;
    const asOf = toAsOf(index);
    const id = agentId === undefined ? await this.#findOwned(walletAddress) : BigInt(agentId);
    const token = id === null ? null : await facts.getIdentity(id);
    return {
      owned: token?.owner === walletAddress,
      agentId: token === null ? null : String(id),
      owner: token?.owner ?? null,
      tokenURI: token?.tokenURI ?? null,
      registry: toAgentRegistry(chainId, registry),
      asOf,
    };
  }

  /** The wallet's primary identity, else the oldest one that it owns. */
  async #findOwned(wallet: Address): Promise<bigint | null> {
    const { facts } = this.#ports;
    return (await facts.getPrimaryIdentity(wallet)) ?? (await facts.listIdentities(wallet))[0] ?? null;
  }

  /**
   * The registration file behind a metadata digest: the document, naming the identities that its wallet minted with it.
   * Null if there is none.
   */
  async findRegistrationFile(digest: string): Promise<string | null> {
    const { chain, registrations, store } = this.#ports;
    const bytes = await store.findMetadata(digest);
    if (bytes === null) return null;
    const document = JSON.parse(bytes) as AgentDocument;
    const wallet = getDocumentWallet(document);
    // A profile's document already contains its identity.
    if (document.registrations.length > 0 || wallet === null) return bytes;
    const agentIds = await registrations.listRegistrations(getAddress(wallet), `${digest}.json`);
    return createRegistrationFile(
      document,
      agentIds,
      toAgentRegistry(chain.deployment.chainId, chain.deployment.identity),
    );
  }

  /** The exact bytes behind a metadata digest, null if there are none. */
  findMetadata(digest: string): Promise<string | null> {
    return this.#ports.store.findMetadata(digest);
  }
}
