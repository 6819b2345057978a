import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import { makeGameNftModule, makeGameNftModuleId } from "./game-nft.ts";
import { makeIdentityModule } from "./identity.ts";
import type { ArcadeParameters } from "./parameters.ts";
import { makeRewardsModule } from "./rewards.ts";
import { makeTokenModule } from "./token.ts";

type GameNftFuture = ReturnType<typeof makeGameNftModule>["results"]["nft"];

/**
 * The whole deployment: token, identity, one token contract per game, rewards, float, hand-over of what is left.
 * Roles are given by the constructors, so that the deployer never holds one.
 * Results: `token`, `identity`, `rewards` and, for each game, `GameNFT_<slug>` (`makeGameNftModuleId`).
 */
export const makeArcadeModule = (parameters: ArcadeParameters) => {
  const tokenModule = makeTokenModule(parameters);
  const identityModule = makeIdentityModule(parameters);
  const rewardsModule = makeRewardsModule(parameters, tokenModule, identityModule);
  return buildModule("Arcade", (m) => {
    const { token } = m.useModule(tokenModule);
    const { identity } = m.useModule(identityModule);
    const nfts: { [name: string]: GameNftFuture } = {};
    for (const game of parameters.games) {
      nfts[makeGameNftModuleId(game.slug)] = m.useModule(makeGameNftModule(parameters, game)).nft;
    }
    const { rewards } = m.useModule(rewardsModule);
    return { ...nfts, token, identity, rewards };
  });
};
