import type { Address, Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { createSnapshotRequiredError, getTier, type NftFacts } from "../../../domain/gates.ts";
import { createScoreError, type ScoreProblem } from "../../../domain/rewards.ts";
import { toFinality } from "../../../domain/session.ts";
import type { ChainFacts, ChainIndex, ChainReader, FreshReads, GameNftRecord } from "../../ports/chain.ts";
import type { ReceiptEvent } from "../../ports/receipts.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock } from "../../ports/system.ts";
import { readScoreProblems, readSuccessfulReceipt, requireBlock } from "../chain-reads.ts";
import type { Identity } from "../identity/identity.ts";
import type { Catalog } from "../sessions/catalog.ts";
import type { SignedCalls } from "../signed-calls.ts";
import { createGameNftCall } from "../signing-requests.ts";

interface NftPorts {
  readonly store: Pick<SessionStore, "find" | "findBestOnChain" | "getForfeitedTier">;
  readonly chain: Pick<ChainReader, "deployment" | "openFreshReads" | "getReceipt">;
  readonly facts: Pick<ChainFacts, "getGameNft" | "isSessionConsumed">;
  readonly identity: Pick<Identity, "findAgentId" | "requireFreshIdentity">;
  readonly index: ChainIndex;
  readonly catalog: Pick<Catalog, "find">;
  readonly signedCalls: SignedCalls;
  readonly clock: Pick<Clock, "nowMs">;
}

export interface NftRequest {
  readonly wallet: Address;
  readonly slug: string;
  /** Null: the best session on chain that the wallet has played under its identity. */
  readonly sessionId: string | null;
  /**
   * A token that the wallet owns and continues with, such as a bought one. Null: the token of the wallet's own agent.
   */
  readonly tokenId: string | null;
  /** The call is sent together with the session's snapshot, which is signed but not in a block yet. */
  readonly withSnapshot: boolean;
}

type NoActionReason = "NOT_NEW_HIGH_SCORE" | "BELOW_FIRST_TIER" | "ALREADY_RECORDED" | "TOKEN_TRANSFERRED";

/** Why a score changes nothing on chain; null if it mints or upgrades the token. */
function findNoActionReason(
  record: GameNftRecord | null,
  { wallet, score, tier }: { readonly wallet: Address; readonly score: number; readonly tier: number },
): NoActionReason | null {
  if (record !== null && record.owner !== wallet) return "TOKEN_TRANSFERRED";
  // An annulled record has tier 0, too.
  if (tier === 0 && (record === null || record.tier === 0)) return "BELOW_FIRST_TIER";
  if (record === null) return null;
  if (BigInt(score) === record.score) return "ALREADY_RECORDED";
  return BigInt(score) < record.score ? "NOT_NEW_HIGH_SCORE" : null;
}

const createNotTokenOwnerError = (tokenId: string, record: GameNftRecord | null, wallet: Address): ArcadeError =>
  record === null
    ? new ArcadeError("NOT_FOUND", `There is no token ${tokenId}: it is not minted.`)
    : new ArcadeError(
        "FORBIDDEN",
        `Expected a token that ${wallet} owns; token ${tokenId} belongs to ${record.owner}. Leave tokenId out for the token of the wallet's own agent.`,
      );

/** Problems that exclude a named session's score from the NFT, even if the score is on chain or about to be. */
const NEVER_COUNTED: readonly ScoreProblem[] = ["SOURCE_NOT_ELIGIBLE", "SESSION_NOT_ENDED", "FORFEITED", "WITHHELD"];

const createOtherIdentityError = ({ sessionId, agentId: played }: SessionRow, agentId: string): ArcadeError =>
  new ArcadeError(
    "FORBIDDEN",
    `Expected a session that was played as agent ${agentId}, the wallet's identity; session ${sessionId} was played ${played === null ? "without an identity" : `as agent ${played}`}.`,
    { sessionId },
  );

/** Mints and upgrades a game's NFT from scores that are on chain. */
export class Nft {
  readonly #ports: NftPorts;

  constructor(ports: NftPorts) {
    this.#ports = ports;
  }

  /** The facts for the NFT gate; null if no score on chain reaches a tier, so that the gate is open. */
  async getGateFacts(wallet: Address, agentId: string, slug: string): Promise<NftFacts | null> {
    const { store, facts, catalog } = this.#ports;
    const { tiers } = catalog.find(slug).nft;
    const best = await store.findBestOnChain(wallet, slug, agentId);
    if (best === null || getTier(tiers, best.score) === 0) return null;
    const [record, forfeitedTier] = await Promise.all([
      facts.getGameNft(slug, BigInt(agentId)),
      store.getForfeitedTier(wallet, slug, agentId),
    ]);
    return {
      slug,
      best,
      tiers,
      heldTier: record?.tier ?? 0,
      transferred: record !== null && record.owner !== wallet,
      forfeitedTier,
    };
  }

  /** The signed mint or upgrade, or the reason why the score changes nothing. */
  async prepare(request: NftRequest) {
    const { chain, index, catalog, signedCalls } = this.#ports;
    const { wallet, slug } = request;
    await index.waitForHead();
    const { agent, tokenId, record } = await this.#readToken(request, await chain.openFreshReads());
    const session = await this.#findSession(request, agent.value.toString());
    if (request.tokenId !== null && record.value?.owner !== wallet)
      throw createNotTokenOwnerError(request.tokenId, record.value, wallet);
    const score = session?.score ?? 0;
    const tier = getTier(catalog.find(slug).nft.tiers, score);
    const reason = findNoActionReason(record.value, { wallet, score, tier });
    const heldTokenId = record.value === null ? null : tokenId.toString();
    if (reason !== null) return { action: "none" as const, reason, score, tier, tokenId: heldTokenId };
    const contract = chain.deployment.nft[slug]!;
    const call = createGameNftCall({ wallet, slug, identity: agent, tokenId, record, score, contract });
    const action = record.value === null ? ("mint" as const) : ("upgrade" as const);
    return { action, score, tier, tokenId: heldTokenId, ...(await signedCalls.prepare(call)) };
  }

  /** Reads receipt and event itself; recording twice gives the same response. */
  async record({ wallet, slug, txHash }: { readonly wallet: Address; readonly slug: string; readonly txHash: Hex }) {
    const { chain, index } = this.#ports;
    const receipt = await readSuccessfulReceipt(chain, txHash);
    type NftEvent = Extract<ReceiptEvent, { slug: string; wallet: Address }>;
    const event = receipt.events.find(
      (entry): entry is NftEvent =>
        (entry.name === "GameNftMinted" || entry.name === "GameNftUpgraded") &&
        entry.slug === slug &&
        entry.wallet === wallet,
    );
    if (event === undefined) {
      const message = `Expected a mint or upgrade of ${slug}'s NFT for ${wallet} in ${txHash}; it holds none.`;
      throw new ArcadeError("TX_MISMATCH", message, { txHash });
    }
    await requireBlock(index, receipt.block);
    return {
      recorded: true as const,
      action: event.name === "GameNftMinted" ? ("mint" as const) : ("upgrade" as const),
      tokenId: event.tokenId.toString(),
      tier: event.tier,
      score: Number(event.score),
      finality: toFinality(receipt.block, index.getFinality()),
    };
  }

  /**
   * The wallet's identity, and the record of the token to mint or upgrade, read in one request to the node. The token
   * follows from the identity, which is usually the one that the service already knows.
   */
  async #readToken({ wallet, slug, tokenId: namedId }: NftRequest, reads: FreshReads) {
    const { identity } = this.#ports;
    const likelyId = namedId ?? (await identity.findAgentId(wallet));
    const [agent, likelyRecord] = await Promise.all([
      identity.requireFreshIdentity(reads, wallet),
      likelyId === null ? null : reads.getGameNft(slug, BigInt(likelyId)),
    ]);
    const tokenId = namedId === null ? agent.value : BigInt(namedId);
    const isLikelyToken = likelyRecord !== null && tokenId.toString() === likelyId;
    const record = isLikelyToken ? likelyRecord : await reads.getGameNft(slug, tokenId);
    return { agent, tokenId, record };
  }

  /** The session whose score counts: the named one, or the best on chain of this identity (null: it has none). */
  async #findSession(
    { wallet, slug, sessionId, withSnapshot }: NftRequest,
    agentId: string,
  ): Promise<SessionRow | null> {
    const { store, facts, clock } = this.#ports;
    if (sessionId === null) return store.findBestOnChain(wallet, slug, agentId);
    const row = await store.find(sessionId);
    if (row === null || row.slug !== slug || row.wallet !== wallet) {
      const message = `There is no session ${sessionId} of ${slug} that belongs to ${wallet}. List yours at GET /api/games/${slug}/sessions/my.`;
      throw new ArcadeError("SESSION_NOT_FOUND", message);
    }
    const problems = await readScoreProblems(facts, row);
    const [problem] = problems.filter((name) => NEVER_COUNTED.includes(name));
    if (problem !== undefined) throw createScoreError(problem, row);
    // A score that was given up stays so, even if an earlier signature has brought it on chain.
    if (row.forfeitedAtMs !== null) throw createScoreError("FORFEITED", row);
    if (row.agentId !== agentId) throw createOtherIdentityError(row, agentId);
    if (problems.includes("ALREADY_ON_CHAIN") || row.score === 0) return row;
    if (problems.includes("CANCELLED")) throw createScoreError("CANCELLED", row);
    if (withSnapshot && row.signedUntilSeconds !== null && row.signedUntilSeconds * 1000 > clock.nowMs()) return row;
    throw createSnapshotRequiredError(row, `Session ${sessionId} is not on chain yet; snapshot it first.`);
  }
}
