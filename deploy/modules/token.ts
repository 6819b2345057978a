import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import type { ArcadeParameters } from "./parameters.ts";

/** The token. Its supply waits with the deployer until the float is funded and the rest handed to the treasury. */
export const makeTokenModule = ({ token }: ArcadeParameters) =>
  buildModule("Token", (m) => ({
    token: m.contract("RewardToken", [token.name, token.symbol, token.supply, m.getAccount(0)]),
  }));
