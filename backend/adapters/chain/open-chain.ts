import type {
  ChainReader,
  ChainStore,
  ChainWriter,
  Clock,
  Deployment,
  Log,
  MarketReader,
  TransactionStore,
} from "../../ports.ts";
import { isLocalChain } from "./chain-id.ts";
import { type Follower, startFollower } from "./follower/follower.ts";
import { startOperator } from "./operator/operator.ts";
import { createReader } from "./reader.ts";
import { createRpc } from "./rpc.ts";
import { createMarketReader } from "./seaport.ts";

type Hex = `0x${string}`;

/** Three block times of the networks that are served: after them a transaction counts as stuck. */
const STUCK_MS = { local: 3_000, public: 12_000 };

export interface OpenChainOptions {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly store: { readonly chain: ChainStore; readonly transactions: TransactionStore };
  readonly clock: Clock;
  readonly operatorKey: Hex;
  /** Blocks on top of one before what it holds is called safe. */
  readonly confirmations: number;
  /** How often chain and open transactions are looked at. */
  readonly pollMs: number;
  readonly log: Log;
}

export interface Chain {
  readonly reader: ChainReader;
  readonly market: MarketReader;
  readonly writer: ChainWriter;
  readonly follower: Follower;
  close(): Promise<void>;
}

/** Connects to the chain: reads, the operator's transactions, and the follower. Does not wait for the node. */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { rpcUrl, deployment, store, clock, confirmations, pollMs, log } = options;
  const { chainId } = deployment;
  const rpc = createRpc({ rpcUrl, chainId, clock });
  const stuckMs = isLocalChain(chainId) ? STUCK_MS.local : STUCK_MS.public;
  const reader = createReader({ rpc, deployment, confirmations });
  const writer = startOperator({
    rpc,
    store: store.transactions,
    clock,
    log,
    privateKey: options.operatorKey,
    confirmations,
    pollMs,
    stuckMs,
  });
  const follower = startFollower({ rpc, deployment, store: store.chain, clock, pollMs, log });
  return {
    reader,
    market: createMarketReader({ rpc, deployment }),
    writer,
    follower,
    close: async () => {
      await Promise.all([follower.stop(), writer.close()]);
    },
  };
}
