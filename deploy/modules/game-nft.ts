import type { BuildModule } from "./builder.ts";
import type { createIdentityModule } from "./identity.ts";
import { toGameNftModuleId } from "./names.ts";
import type { ArcadeParameters, GameParameters } from "./parameters.ts";
import { createRoles } from "./roles.ts";

/**
 * One game's NFT contract; its EIP-712 domain is `GameNFT:<slug>`. A mint asks the identity contract who owns the
 * identity.
 */
export const createGameNftModule = (
  buildModule: BuildModule,
  parameters: ArcadeParameters,
  identityModule: ReturnType<typeof createIdentityModule>,
  { slug, nft }: GameParameters,
) =>
  buildModule(toGameNftModuleId(slug), (m) => {
    const { identity } = m.useModule(identityModule);
    const signer = parameters.signers.nft[slug];
    if (signer === undefined) throw new Error(`no NFT signer for the game ${slug}`);
    return {
      nft: m.contract("GameNFT", [
        createRoles(parameters, signer),
        identity,
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
