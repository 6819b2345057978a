import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import { makeDuties } from "./duties.ts";
import type { makeIdentityModule } from "./identity.ts";
import type { ArcadeParameters } from "./parameters.ts";
import type { makeTokenModule } from "./token.ts";

/** The rewards contract and its float. */
export const makeRewardsModule = (
  parameters: ArcadeParameters,
  tokenModule: ReturnType<typeof makeTokenModule>,
  identityModule: ReturnType<typeof makeIdentityModule>,
) =>
  buildModule("Rewards", (m) => {
    const { token } = m.useModule(tokenModule);
    const { identity } = m.useModule(identityModule);
    const { payoutCooldownSeconds, ...limits } = parameters.rewards;
    const rewards = m.contract("RewardsV2", [
      makeDuties(parameters, parameters.signers.score),
      parameters.operator,
      token,
      identity,
      { ...limits, payoutCooldown: payoutCooldownSeconds },
    ]);
    const allowance = m.call(token, "approve", [rewards, parameters.float]);
    const funding = m.call(rewards, "fund", [parameters.float], { after: [allowance] });
    // What is left goes to the treasury: after this the deployer holds neither a token nor a role.
    m.call(token, "transfer", [parameters.treasury, parameters.token.supply - parameters.float], { after: [funding] });
    return { rewards };
  });
