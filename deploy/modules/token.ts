import type { BuildModule } from "./builder.ts";
import type { ArcadeParameters } from "./parameters.ts";

/** The token. Its supply waits with the deployer until the float is funded and the rest handed to the treasury. */
export const createTokenModule = (buildModule: BuildModule, { token }: ArcadeParameters) =>
  buildModule("Token", (m) => ({
    token: m.contract("RewardToken", [token.name, token.symbol, token.supply, m.getAccount(0)]),
  }));
