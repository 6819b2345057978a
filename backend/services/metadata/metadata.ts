import type { Address } from "viem";
import { getAddress, isAddress } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { toAgentRegistry } from "../../../domain/identity.ts";
import { createGameNftMetadata, createServiceRegistration, type GameNftFacts } from "../../../domain/metadata.ts";
import type { ChainFacts } from "../../ports/chain.ts";
import type { IdentityStore } from "../../ports/store/identity.ts";
import { readOrElse } from "../chain-reads.ts";
import type { Identity } from "../identity/identity.ts";
import type { Catalog } from "../sessions/catalog.ts";
import { drawGameNft } from "./images/game-nft.ts";
import { drawIdentity } from "./images/identity.ts";
import { drawLogo } from "./images/logo.ts";

interface MetadataPorts {
  readonly store: Pick<IdentityStore, "findProfile">;
  readonly chain: Pick<ChainFacts, "deployment" | "getIdentity" | "getGameNft">;
  readonly catalog: Pick<Catalog, "find">;
  readonly identity: Pick<Identity, "findAgentId" | "getName">;
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
}

/** A decimal uint256. */
const TOKEN_ID = /^(0|[1-9]\d{0,76})$/;

/** The documents and images that tokens point to. */
export class Metadata {
  readonly #ports: MetadataPorts;

  constructor(ports: MetadataPorts) {
    this.#ports = ports;
  }

  /** The image of a wallet's agent, or of an identity by its id; every wallet has one. Throws `NOT_FOUND`. */
  async drawIdentityImage(holder: string): Promise<string> {
    const found = await this.#findWallet(holder);
    if (found !== null) return drawIdentity({ ...found, name: await this.#findName(found.wallet, found.agentId) });
    throw new ArcadeError("NOT_FOUND", "There is no such picture. Expected a wallet's address or an identity's id.");
  }

  /** The ERC-721 metadata of a game's token. Throws `GAME_NOT_FOUND` and `NOT_FOUND`. */
  async getGameNftMetadata(slug: string, tokenId: string) {
    const facts = await this.#getNftFacts(slug, tokenId);
    const url = this.#ports.publicUrl();
    return createGameNftMetadata(facts, {
      image: `${url}/api/metadata/${facts.slug}/${tokenId}.svg`,
      externalUrl: `${url}/`,
      registry: this.#getRegistry(),
    });
  }

  /** The picture of a game's token as SVG. Throws `GAME_NOT_FOUND` and `NOT_FOUND`. */
  async drawGameNftImage(slug: string, tokenId: string): Promise<string> {
    return drawGameNft(await this.#getNftFacts(slug, tokenId), this.#ports.catalog.find(slug).nftArt);
  }

  /** The picture of a tier's first token, before anyone has minted it. Throws `NOT_FOUND`. */
  drawGameTierImage(slug: string, tierText: string): string {
    const { title, nft, nftArt, slug: name } = this.#ports.catalog.find(slug);
    const tier = nft.tiers.find((candidate) => String(candidate.tier) === tierText);
    if (tier === undefined) throw new ArcadeError("NOT_FOUND", `${title} has tiers 1 to ${nft.tiers.length}.`);
    const facts = { slug: name, title, tokenId: "1", agentName: null, score: tier.minScore };
    return drawGameNft({ ...facts, tier: tier.tier, tierName: tier.name, tierCount: nft.tiers.length }, nftArt);
  }

  /** The ERC-8004 registration file of the service itself. */
  getAgentRegistration() {
    return createServiceRegistration({
      url: this.#ports.publicUrl(),
      wsUrl: this.#ports.wsUrl(),
      registry: this.#getRegistry(),
      image: `data:image/svg+xml;base64,${Buffer.from(drawLogo()).toString("base64")}`,
    });
  }

  #getRegistry(): string {
    const { chainId, identity } = this.#ports.chain.deployment;
    return toAgentRegistry(chainId, identity);
  }

  /** Null if there is no name or the chain does not answer: an image can be drawn without one. */
  async #findName(wallet: Address, agentId: string | null): Promise<string | null> {
    const { store, identity } = this.#ports;
    const profile = await store.findProfile(wallet);
    if (profile !== null || agentId === null) return profile?.agentName ?? null;
    return readOrElse(identity.getName(agentId), null);
  }

  /** The wallet of an image, from its address or from the id of an identity that it owns. */
  async #findWallet(holder: string): Promise<{ readonly wallet: Address; readonly agentId: string | null } | null> {
    const { chain, identity } = this.#ports;
    if (isAddress(holder, { strict: false })) {
      const wallet = getAddress(holder);
      return { wallet, agentId: await identity.findAgentId(wallet) };
    }
    const token = TOKEN_ID.test(holder) ? await chain.getIdentity(BigInt(holder)) : null;
    return token === null ? null : { wallet: token.owner, agentId: holder };
  }

  async #getNftFacts(slug: string, tokenId: string): Promise<GameNftFacts> {
    const { catalog, chain, identity } = this.#ports;
    const game = catalog.find(slug);
    const record = TOKEN_ID.test(tokenId) ? await chain.getGameNft(game.slug, BigInt(tokenId)) : null;
    if (record === null)
      throw new ArcadeError("NOT_FOUND", `There is no ${game.title} token with the id ${tokenId.slice(0, 80)}.`);
    return {
      slug: game.slug,
      title: game.title,
      tokenId,
      // A token keeps the id of the agent that minted it after a transfer.
      agentName: await identity.getName(tokenId),
      score: Number(record.score),
      tier: record.tier,
      tierName: game.nft.tiers.find(({ tier }) => tier === record.tier)?.name ?? `Tier ${record.tier}`,
      tierCount: game.nft.tiers.length,
    };
  }
}
