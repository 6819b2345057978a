import { makePublicParameters } from "../modules/parameters.ts";
import type { NetworkPlan } from "./network.ts";

const DAY_SECONDS = 86_400;

/** https://docs.base.org/base-chain/quickstart/connecting-to-base. Signers wait two days, the admin role three. */
export const base: NetworkPlan = {
  name: "base",
  title: "Base",
  chainId: 8_453,
  rpcUrl: "https://mainnet.base.org",
  isProduction: true,
  confirmations: 5,
  explorerUrl: "https://basescan.org",
  makeParameters: (roles) => ({
    ...makePublicParameters(roles),
    signerDelaySeconds: 2 * DAY_SECONDS,
    adminDelaySeconds: 3 * DAY_SECONDS,
  }),
};
