import { makeLocalParameters } from "../modules/parameters.ts";
import type { NetworkPlan } from "./network.ts";

/** A chain on this machine: no delay of signers, 5 s between payouts. */
export const local: NetworkPlan = {
  name: "local",
  title: "local chain",
  chainId: 31_337,
  rpcUrl: "http://127.0.0.1:8545",
  isProduction: false,
  confirmations: 1,
  explorerUrl: null,
  makeParameters: makeLocalParameters,
};
