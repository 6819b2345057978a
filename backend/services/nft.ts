import { ArcadeError } from "../domain/errors.ts";
import { type NftFacts, tierOf } from "../domain/gates.ts";
import type { Address, ChainReader, Hex, ReceiptEvent, SessionRow, SessionStore } from "../ports.ts";
import { finalityOf } from "./as-of.ts";
import type { Catalog } from "./catalog.ts";
import { readOwnReceipt } from "./receipts.ts";
import type { SignedCalls } from "./signed-call.ts";

interface NftPorts {
  readonly store: SessionStore;
  readonly chain: ChainReader;
  readonly catalog: Catalog;
  readonly signedCall: SignedCalls;
  /** Waits a moment until the follower has seen the chain's head. */
  readonly freshen: () => Promise<void>;
}

export type Nft = ReturnType<typeof makeNft>;

/** Seconds a prepared mint or upgrade stays valid. */
const NFT_TTL_SECONDS = 600;

type NoneReason = "NOT_NEW_HIGH_SCORE" | "BELOW_FIRST_TIER" | "ALREADY_RECORDED" | "TOKEN_TRANSFERRED";

/** Mint and upgrade of a game's NFT from scores that are on chain. */
export function makeNft({ store, chain, catalog, signedCall, freshen }: NftPorts) {
  /** The session whose score is to be shown: the named one, or the wallet's best that is on chain. */
  async function sessionFor(wallet: Address, slug: string, sessionId: string | null): Promise<SessionRow | null> {
    if (sessionId === null) return store.bestOnChain(wallet, slug);
    const row = await store.find(sessionId);
    if (row === null || row.slug !== slug || row.wallet !== wallet)
      throw new ArcadeError(
        "SESSION_NOT_FOUND",
        `There is no session ${sessionId} of ${slug} that belongs to ${wallet}.`,
      );
    if (row.source !== "agent_api")
      throw new ArcadeError(
        "SOURCE_NOT_ELIGIBLE",
        "Practice sessions take no part in NFT progression; play with source agent_api.",
      );
    if (row.phase !== "ended")
      throw new ArcadeError("SESSION_NOT_ENDED", `Session ${sessionId} is still being played.`, { sessionId });
    if (row.snapshotBlock === null && row.score > 0) {
      throw new ArcadeError("SNAPSHOT_REQUIRED", `Session ${sessionId} is not on chain yet; snapshot it first.`, {
        sessionId,
        gameSessionId: sessionId,
        score: row.score,
        next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } },
      });
    }
    return row;
  }

  const none = (reason: NoneReason, score: number, tier: number, tokenId: string | null) => ({
    action: "none" as const,
    reason,
    score,
    tier,
    tokenId,
  });

  return {
    /** What the NFT gate decides over. */
    async factsOf(wallet: Address, agentId: string, slug: string): Promise<NftFacts> {
      const [best, record, forfeitedTier] = await Promise.all([
        store.bestOnChain(wallet, slug),
        chain.gameNft(slug, BigInt(agentId)),
        store.forfeitedTierOf(wallet, slug),
      ]);
      return {
        slug,
        best,
        tiers: catalog.find(slug).nft.tiers,
        heldTier: record?.tier ?? 0,
        transferred: record !== null && record.owner !== wallet,
        forfeitedTier,
      };
    },

    async prepare(request: {
      readonly wallet: Address;
      readonly agentId: string;
      readonly slug: string;
      readonly sessionId: string | null;
    }) {
      const { wallet, agentId, slug } = request;
      await freshen();
      const session = await sessionFor(wallet, slug, request.sessionId);
      const record = await chain.gameNft(slug, BigInt(agentId));
      const score = session?.score ?? 0;
      const tier = tierOf(catalog.find(slug).nft.tiers, score);
      if (record !== null && record.owner !== wallet) return none("TOKEN_TRANSFERRED", score, tier, agentId);
      if (record === null && tier === 0) return none("BELOW_FIRST_TIER", score, tier, null);
      if (record !== null && BigInt(score) === record.score) return none("ALREADY_RECORDED", score, tier, agentId);
      if (record !== null && BigInt(score) < record.score) return none("NOT_NEW_HIGH_SCORE", score, tier, agentId);

      const action = record === null ? ("mint" as const) : ("upgrade" as const);
      const facts = { wallet, agentId, score: String(score) };
      const signed = await signedCall({
        duty: `nft:${slug}`,
        primaryType: action === "mint" ? "MintGameNft" : "UpgradeGameNft",
        verifyingContract: chain.deployment.nft[slug]!,
        slug,
        key: `${wallet}:${agentId}:${score}`,
        facts,
        ttlSeconds: NFT_TTL_SECONDS,
        functionName: action === "mint" ? "mintSigned" : "upgradeSigned",
        args: [wallet, agentId, String(score)],
      });
      return { action, score, tier, tokenId: action === "mint" ? null : agentId, ...signed };
    },

    /** Reads receipt and event itself; recording twice answers the same. */
    async record({ wallet, slug, txHash }: { readonly wallet: Address; readonly slug: string; readonly txHash: Hex }) {
      const receipt = await readOwnReceipt(chain, txHash);
      type NftEvent = Extract<ReceiptEvent, { slug: string }>;
      const event = receipt.events.find(
        (entry): entry is NftEvent => "slug" in entry && entry.slug === slug && entry.wallet === wallet,
      );
      if (event === undefined) {
        throw new ArcadeError(
          "TX_MISMATCH",
          `Expected a mint or upgrade of ${slug}'s NFT for ${wallet} in ${txHash}; it holds none.`,
          { txHash },
        );
      }
      await freshen();
      return {
        recorded: true as const,
        action: event.name === "GameNftMinted" ? ("mint" as const) : ("upgrade" as const),
        tokenId: event.tokenId.toString(),
        tier: event.tier,
        score: Number(event.score),
        finality: finalityOf(receipt.block, await chain.finality()),
      };
    },
  };
}
