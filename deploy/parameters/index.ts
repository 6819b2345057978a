import { makePublicParameters } from "../modules/parameters.ts";
import { base } from "./base.ts";
import { baseSepolia } from "./base-sepolia.ts";
import { local } from "./local.ts";
import type { NetworkPlan } from "./network.ts";
import { sepolia } from "./sepolia.ts";

/** Every network by the name of `--network`. */
export const NETWORKS: readonly NetworkPlan[] = [local, baseSepolia, sepolia, base];

export const findNetwork = (name: string): NetworkPlan | undefined => NETWORKS.find((network) => network.name === name);

/** The plan of a chain that is only known by its node: one of the table, else the parameters of public networks. */
export const networkOfChain = (chainId: number, rpcUrl: string): NetworkPlan =>
  NETWORKS.find((network) => network.chainId === chainId) ?? {
    name: `chain${chainId}`,
    title: `chain ${chainId}`,
    chainId,
    rpcUrl,
    isProduction: false,
    confirmations: 2,
    explorerUrl: null,
    makeParameters: makePublicParameters,
  };
