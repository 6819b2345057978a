import { getAddress, isAddress } from "viem";
import { ArcadeError } from "../domain/errors.ts";
import { registryOf } from "../domain/identity.ts";
import { type GameNftFacts, gameNftMetadata, serviceRegistration } from "../domain/metadata.ts";
import type { Address, ChainReader, IdentityStore } from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import type { Identity } from "./identity.ts";
import { drawEmblem } from "./images/emblem.ts";
import { drawGameNft } from "./images/game-nft.ts";
import { drawIdentity } from "./images/identity.ts";

interface MetadataPorts {
  readonly store: Pick<IdentityStore, "findProfile">;
  readonly chain: Pick<ChainReader, "deployment" | "identity" | "gameNft">;
  readonly catalog: Pick<Catalog, "find">;
  readonly identity: Pick<Identity, "agentIdOf" | "nameOf">;
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
}

export type Metadata = ReturnType<typeof makeMetadata>;

/** Ids of tokens are uint256. */
const TOKEN_ID = /^(0|[1-9]\d{0,76})$/;

/** Documents and pictures that tokens point to. */
export function makeMetadata({ store, chain, catalog, identity, publicUrl, wsUrl }: MetadataPorts) {
  const { chainId, identity: registry } = chain.deployment;

  /** Null where there is no name, or the chain that knows it is away: a picture needs none. */
  async function nameOf(wallet: Address, agentId: string | null): Promise<string | null> {
    const profile = await store.findProfile(wallet);
    if (profile !== null || agentId === null) return profile?.agentName ?? null;
    try {
      return await identity.nameOf(agentId);
    } catch (fault) {
      if (fault instanceof ArcadeError && fault.code === "CHAIN_UNAVAILABLE") return null;
      throw fault;
    }
  }

  /** The wallet that a picture is of: named itself, or the owner of an identity. */
  async function walletOf(holder: string): Promise<{ wallet: Address; agentId: string | null } | null> {
    if (isAddress(holder, { strict: false })) {
      const wallet = getAddress(holder);
      return { wallet, agentId: await identity.agentIdOf(wallet) };
    }
    const token = TOKEN_ID.test(holder) ? await chain.identity(BigInt(holder)) : null;
    return token === null ? null : { wallet: token.owner, agentId: holder };
  }

  async function nftOf(slug: string, tokenId: string): Promise<GameNftFacts> {
    const game = catalog.find(slug);
    const record = TOKEN_ID.test(tokenId) ? await chain.gameNft(game.slug, BigInt(tokenId)) : null;
    if (record === null)
      throw new ArcadeError("NOT_FOUND", `There is no ${game.title} token with the id ${tokenId.slice(0, 80)}.`);
    return {
      slug: game.slug,
      title: game.title,
      tokenId,
      // The token's id is the agent's, whoever holds the token now.
      agentName: await identity.nameOf(tokenId),
      score: Number(record.score),
      tier: record.tier,
      tierName: game.nft.tiers.find(({ tier }) => tier === record.tier)?.name ?? `Tier ${record.tier}`,
      tierCount: game.nft.tiers.length,
    };
  }

  return {
    /** The picture of a wallet's agent, or of an identity by its id; any wallet has one. Throws `NOT_FOUND`. */
    async identityImage(holder: string): Promise<string> {
      const found = await walletOf(holder);
      if (found === null)
        throw new ArcadeError(
          "NOT_FOUND",
          "There is no such picture; expected a wallet's address or an identity's id.",
        );
      return drawIdentity({ ...found, name: await nameOf(found.wallet, found.agentId) });
    },

    async gameNft(slug: string, tokenId: string) {
      const facts = await nftOf(slug, tokenId);
      const url = publicUrl();
      return gameNftMetadata(facts, {
        image: `${url}/api/metadata/${facts.slug}/${tokenId}.svg`,
        externalUrl: `${url}/`,
        registry: registryOf(chainId, registry),
      });
    },

    gameNftImage: async (slug: string, tokenId: string): Promise<string> => drawGameNft(await nftOf(slug, tokenId)),

    agentRegistration: () =>
      serviceRegistration({
        url: publicUrl(),
        wsUrl: wsUrl(),
        registry: registryOf(chainId, registry),
        image: `data:image/svg+xml;base64,${Buffer.from(drawEmblem()).toString("base64")}`,
      }),
  };
}
