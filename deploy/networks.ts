import { getExplorerUrl, LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";
import {
  type ArcadeParameters,
  type ArcadeRoles,
  createLocalParameters,
  createPublicParameters,
  createTestnetParameters,
  type Stage,
} from "./modules/parameters.ts";

/** A network to deploy to: its node, its finality, and the limits of the contracts there. */
export interface NetworkConfig {
  /** The value of `--network`. */
  readonly name: string;
  readonly title: string;
  readonly chainId: number;
  /** A public node; `--rpc` and ARCADE_RPC_URL override it. */
  readonly rpcUrl: string;
  /** Tokens have a price on a mainnet: the admin must be a contract (a Safe or a timelock). */
  readonly stage: Stage;
  /** Blocks to wait for before the next step, the transaction's own included. */
  readonly confirmations: number;
  readonly explorerUrl: string | null;
  /** Null if Blockscout has no explorer for the chain. */
  readonly blockscoutUrl: string | null;
  readonly createParameters: (roles: ArcadeRoles) => ArcadeParameters;
}

/** Every network by the name of `--network`. Sources: the documentation of Base and of ethereum.org. */
export const NETWORKS = {
  local: {
    name: "local",
    title: "local chain",
    chainId: LOCAL_CHAIN_ID,
    rpcUrl: "http://127.0.0.1:8545",
    stage: "local",
    confirmations: 1,
    explorerUrl: null,
    blockscoutUrl: null,
    createParameters: createLocalParameters,
  },
  baseSepolia: {
    name: "baseSepolia",
    title: "Base Sepolia",
    chainId: 84_532,
    rpcUrl: "https://sepolia.base.org",
    stage: "testnet",
    confirmations: 2,
    explorerUrl: getExplorerUrl(84_532),
    blockscoutUrl: "https://base-sepolia.blockscout.com",
    createParameters: createTestnetParameters,
  },
  sepolia: {
    name: "sepolia",
    title: "Sepolia",
    chainId: 11_155_111,
    stage: "testnet",
    confirmations: 2,
    rpcUrl: "https://ethereum-sepolia-rpc.publicnode.com",
    explorerUrl: getExplorerUrl(11_155_111),
    blockscoutUrl: "https://eth-sepolia.blockscout.com",
    createParameters: createTestnetParameters,
  },
  base: {
    name: "base",
    title: "Base",
    chainId: 8_453,
    rpcUrl: "https://mainnet.base.org",
    stage: "mainnet",
    confirmations: 5,
    explorerUrl: getExplorerUrl(8_453),
    blockscoutUrl: "https://base.blockscout.com",
    createParameters: createPublicParameters,
  },
} as const satisfies { readonly [name: string]: NetworkConfig };

/** Test networks without a row in the table: Holesky, Hoodi, OP Sepolia, Arbitrum Sepolia, Polygon Amoy. */
const OTHER_TESTNETS: ReadonlySet<number> = new Set([17_000, 560_048, 11_155_420, 421_614, 80_002]);

const list: readonly NetworkConfig[] = Object.values(NETWORKS);

export const findNetwork = (name: string): NetworkConfig | undefined => list.find((network) => network.name === name);

/**
 * The network of a chain id: a row of the table, or one with the parameters of its stage. An unknown chain counts as a
 * mainnet.
 */
export const getNetworkByChainId = (chainId: number, rpcUrl: string): NetworkConfig =>
  list.find((network) => network.chainId === chainId) ?? {
    name: `chain${chainId}`,
    title: `chain ${chainId}`,
    chainId,
    rpcUrl,
    stage: OTHER_TESTNETS.has(chainId) ? "testnet" : "mainnet",
    confirmations: 2,
    explorerUrl: getExplorerUrl(chainId),
    blockscoutUrl: null,
    createParameters: OTHER_TESTNETS.has(chainId) ? createTestnetParameters : createPublicParameters,
  };
