import { makePublicParameters } from "../modules/parameters.ts";
import type { NetworkPlan } from "./network.ts";

/** https://ethereum.org/developers/docs/networks/#sepolia */
export const sepolia: NetworkPlan = {
  name: "sepolia",
  title: "Sepolia",
  chainId: 11_155_111,
  rpcUrl: "https://ethereum-sepolia-rpc.publicnode.com",
  isProduction: false,
  confirmations: 2,
  explorerUrl: "https://sepolia.etherscan.io",
  makeParameters: makePublicParameters,
};
