import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import { makeDuties } from "./duties.ts";
import type { ArcadeParameters, GamePlan } from "./parameters.ts";

/** Ignition's ids know letters, digits and underscores. */
export const makeGameNftModuleId = (slug: string): string => `GameNFT_${slug.replaceAll(/[^a-zA-Z0-9]/g, "_")}`;

/** One game's token; its EIP-712 domain is `GameNFT:<slug>`. */
export const makeGameNftModule = (parameters: ArcadeParameters, { slug, nft }: GamePlan) =>
  buildModule(makeGameNftModuleId(slug), (m) => {
    const signer = parameters.signers.nft[slug];
    if (signer === undefined) throw new Error(`no NFT signer for the game ${slug}`);
    return {
      nft: m.contract("GameNFT", [
        makeDuties(parameters, signer),
        slug,
        nft.name,
        nft.symbol,
        nft.tiers.map(({ minScore }) => BigInt(minScore)),
        `${parameters.publicUrl}/api/metadata/${slug}/`,
        parameters.treasury,
        parameters.royaltyBasisPoints,
      ]),
    };
  });
