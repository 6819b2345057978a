import type { BuildModule } from "./builder.ts";
import type { createIdentityModule } from "./identity.ts";
import type { ArcadeParameters } from "./parameters.ts";
import { createRoles } from "./roles.ts";
import type { createTokenModule } from "./token.ts";

/** The rewards contract and its float. */
export const createRewardsModule = (
  buildModule: BuildModule,
  parameters: ArcadeParameters,
  tokenModule: ReturnType<typeof createTokenModule>,
  identityModule: ReturnType<typeof createIdentityModule>,
) =>
  buildModule("Rewards", (m) => {
    const { token } = m.useModule(tokenModule);
    const { identity } = m.useModule(identityModule);
    const { payoutCooldownSeconds, ...limits } = parameters.rewards;
    const rewards = m.contract("RewardsV2", [
      createRoles(parameters, parameters.signers.score),
      parameters.operator,
      token,
      identity,
      { ...limits, payoutCooldown: payoutCooldownSeconds },
    ]);
    const allowance = m.call(token, "approve", [rewards, parameters.float]);
    const funding = m.call(rewards, "fund", [parameters.float], { after: [allowance] });
    // The rest goes to the treasury: afterwards the deployer holds neither tokens nor a role.
    m.call(token, "transfer", [parameters.treasury, parameters.token.supply - parameters.float], { after: [funding] });
    return { rewards };
  });
