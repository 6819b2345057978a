import type { BuildModule } from "./builder.ts";
import { createGameNftModule } from "./game-nft.ts";
import { createIdentityModule } from "./identity.ts";
import { toGameNftModuleId } from "./names.ts";
import type { ArcadeParameters } from "./parameters.ts";
import { createRewardsModule } from "./rewards.ts";
import { createTokenModule } from "./token.ts";

type GameNftFuture = ReturnType<typeof createGameNftModule>["results"]["nft"];

/**
 * The whole deployment: token, identity, one NFT contract per game, rewards, float, and the transfer of the remaining
 * supply. Constructors grant the roles, so that the deployer never holds one. Results: `token`, `identity`, `rewards`
 * and, for each game, `GameNFT_<slug>` (`toGameNftModuleId`).
 */
export const describeArcade = (buildModule: BuildModule, parameters: ArcadeParameters) => {
  const tokenModule = createTokenModule(buildModule, parameters);
  const identityModule = createIdentityModule(buildModule, parameters);
  const rewardsModule = createRewardsModule(buildModule, parameters, tokenModule, identityModule);
  return buildModule("Arcade", (m) => {
    const { token } = m.useModule(tokenModule);
    const { identity } = m.useModule(identityModule);
    const nfts: { [name: string]: GameNftFuture } = {};
    for (const game of parameters.games) {
      nfts[toGameNftModuleId(game.slug)] = m.useModule(
        createGameNftModule(buildModule, parameters, identityModule, game),
      ).nft;
    }
    const { rewards } = m.useModule(rewardsModule);
    return { ...nfts, token, identity, rewards };
  });
};
