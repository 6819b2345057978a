import { makePublicParameters } from "../modules/parameters.ts";
import type { NetworkPlan } from "./network.ts";

/** https://docs.base.org/base-chain/quickstart/connecting-to-base */
export const baseSepolia: NetworkPlan = {
  name: "baseSepolia",
  title: "Base Sepolia",
  chainId: 84_532,
  rpcUrl: "https://sepolia.base.org",
  isProduction: false,
  confirmations: 2,
  explorerUrl: "https://sepolia.basescan.org",
  makeParameters: makePublicParameters,
};
