import type { BuildModule } from "./builder.ts";
import type { ArcadeParameters } from "./parameters.ts";

/** The token. The deployer holds its supply until the float is funded and the rest is transferred to the treasury. */
export const createTokenModule = (buildModule: BuildModule, { token }: ArcadeParameters) =>
  buildModule("Token", (m) => ({
    token: m.contract("RewardToken", [token.name, token.symbol, token.supply, m.getAccount(0)]),
  }));
