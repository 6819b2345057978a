import { isLocalChain } from "../../../domain/chain-ids.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import type { KeySource } from "../../../domain/keys.ts";
import { createOperatorPolicy } from "../../../domain/operator-policy.ts";
import type { ChainFacts, ChainIndex, ChainReader, Deployment, Head } from "../../ports/chain.ts";
import type { MarketReader } from "../../ports/market-reader.ts";
import type { OperatorStore } from "../../ports/store/admin.ts";
import type { ChainStore, TransactionStore } from "../../ports/store/chain.ts";
import type { ChainFactStore } from "../../ports/store/chain-facts.ts";
import type { NodeOwnership, Singletons } from "../../ports/store/nodes.ts";
import type { ChainNodeStatus, Clock, Log } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";
import { ContractWatch } from "./facts/contract-watch.ts";
import { createFacts } from "./facts/facts.ts";
import { type Indexer, startIndexer } from "./indexer/indexer.ts";
import { NodePool } from "./nodes/node-pool.ts";
import { createReader } from "./reader/reader.ts";
import { createRefusalRecorder } from "./record-refusal.ts";
import type { RequestBudget } from "./request-budget.ts";
import { createRpc } from "./rpc.ts";
import { createUnavailableError } from "./rpc-errors.ts";
import { SeaportReader } from "./seaport/seaport.ts";
import { LARGE_BATCH_SIZE } from "./transaction-manager/batch-size.ts";
import { startTransactionManager } from "./transaction-manager/transaction-manager.ts";

/** Three block times of the supported networks: after them a transaction counts as stuck. */
const STUCK_MS = { local: 3_000, public: 12_000 };

/** Transactions that wait are looked up this often at least, however seldom new blocks are looked for. */
const TRANSACTIONS_POLL_MAX_MS = 2_000;

/**
 * How many blocks the local chain's transactions are watched for: it has no finality, and any block may be reverted.
 */
const LOCAL_FINAL_BLOCKS = 64;

export interface OpenChainOptions {
  readonly rpcUrl: string;
  /** Further nodes of the same chain, in the order of use. */
  readonly moreRpcUrls?: readonly string[];
  readonly deployment: Deployment;
  readonly store: {
    readonly chain: ChainStore;
    readonly chainFacts: ChainFactStore;
    readonly transactions: TransactionStore;
    readonly operator: OperatorStore;
    readonly node: NodeOwnership | null;
    readonly singletons: Singletons;
  };
  readonly clock: Clock;
  readonly operatorKey: KeySource;
  /** The number of blocks on top of a block before it counts as safe. */
  readonly confirmations: number;
  /** The interval at which the chain is polled. Transactions that wait are looked up every 2 s at least. */
  readonly pollMs: number;
  /** Whether the chain announces its changes to the indexer, as one in this process does. */
  readonly isAnnounced?: boolean;
  /** The highest fee per gas that the operator pays, in wei; null: no limit. */
  readonly feeCap: bigint | null;
  /** The maximum number of transactions that the operator's key signs in a UTC day. */
  readonly callsPerDay: number;
  /** What each request may spend on waiting for the node. */
  readonly budget: RequestBudget;
  readonly log: Log;
}

export interface Chain {
  readonly reader: ChainReader;
  /** Reads that never query a node. */
  readonly facts: ChainFacts;
  readonly market: MarketReader;
  /** Null if none is configured. */
  readonly writer: ChainWriter;
  /** From now on signs with the operator's key from this source. Throws if it is another account's key. */
  exchangeOperatorKey(source: KeySource): void;
  readonly indexer: Indexer;
  readonly index: ChainIndex;
  /** The state of each node; empty if there is only one. */
  listNodes(): readonly ChainNodeStatus[];
  close(): Promise<void>;
}

/** Opens the chain: reader, transaction manager and indexer. Does not wait for the node. */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { rpcUrl, deployment, store, confirmations, pollMs, budget, log } = options;
  const { chainId } = deployment;
  const clock = createUnbudgetedClock(options.clock, budget);
  const nodes = createNodePool(options, clock);
  const node = { rpcUrl, nodes, chainId, clock };
  const rpc = createRpc({ ...node, budget });
  // A separate connection: the indexer keeps running while the node is too slow for requests.
  const indexerRpc = createRpc(node);
  const { singletons } = store;
  const mayWrite = (): boolean => singletons.indexer.isHeld();
  const indexed = {
    deployment,
    store: store.chain,
    confirmations,
    mayWrite,
    isAnnounced: options.isAnnounced ?? false,
  };
  const indexer = startIndexer({ rpc: indexerRpc, clock, pollMs, log, ...indexed });
  const watch = new ContractWatch({ rpc: indexerRpc, deployment, log });
  indexer.onIndexed((head) => watch.update(head));
  const reader = createReader({ rpc, deployment, getConfirmedHead: () => getConfirmedHead(indexer) });
  const writer = startTransactionManager({
    rpc: createRpc(node),
    largeBatchRpc: createRpc({ ...node, batchSize: LARGE_BATCH_SIZE }),
    store: store.transactions,
    clock,
    log,
    privateKey: options.operatorKey,
    readFinalBlock: async () => {
      const { safe, final } = indexer.finality;
      return isLocalChain(chainId) ? safe - LOCAL_FINAL_BLOCKS : final;
    },
    pollMs: Math.min(pollMs, TRANSACTIONS_POLL_MAX_MS),
    stuckMs: isLocalChain(chainId) ? STUCK_MS.local : STUCK_MS.public,
    feeCap: options.feeCap,
    ...(store.node?.isShared && { singleton: singletons.transactions }),
    policy: createOperatorPolicy(deployment, options.callsPerDay),
    recordRefusal: createRefusalRecorder(store.operator, clock),
  });
  return {
    reader,
    facts: createFacts({ deployment, store, watch, clock }),
    market: new SeaportReader({ rpc, deployment }),
    writer: limitByBudget(writer, budget, clock),
    exchangeOperatorKey: (source) => writer.moveKey(source),
    indexer,
    index: createIndex(indexer, budget, isLocalChain(chainId)),
    listNodes: () => nodes?.status() ?? [],
    close: async () => {
      await Promise.all([indexer.stop(), writer.close()]);
    },
  };
}

/** A clock whose timers do not count as part of the request that sets them. */
const createUnbudgetedClock = (clock: Clock, budget: RequestBudget): Clock => ({
  nowMs: () => clock.nowMs(),
  monotonicMs: () => clock.monotonicMs(),
  after: (ms, run) => clock.after(ms, () => budget.runOutside(run)),
});

/** The head of the indexer's last poll. Throws `CHAIN_UNAVAILABLE` if that poll has failed. */
function getConfirmedHead({ head, problem }: Indexer): Head {
  if (head !== null && problem === null) return head;
  throw new ArcadeError(
    "CHAIN_UNAVAILABLE",
    problem ?? "The chain's node has not responded yet; try again in a few seconds.",
  );
}

/** Half of the request's remaining time, so that it can read the chain afterward. */
const getWaitMs = (budget: RequestBudget): number => (budget.remainingMs() ?? budget.budgetMs) / 2;

/** The indexer for requests, each of which waits at most as long as its budget allows. */
const createIndex = (indexer: Indexer, budget: RequestBudget, isLocal: boolean): ChainIndex => ({
  getHead: () => indexer.head,
  getStoredHead: () => indexer.storedHead,
  getProblem: () => indexer.problem,
  getFinality: () => indexer.finality,
  waitForHead: async (timeoutMs = budget.budgetMs) => {
    const waitMs = Math.min(timeoutMs, getWaitMs(budget));
    return await budget.spend(() => indexer.waitForHead(waitMs));
  },
  // The local chain has one node and may be reset: if the store has all of it, no later block exists.
  waitForBlock: async (block) =>
    await budget.spend(async () => {
      if (!isLocal || block <= (indexer.storedHead?.number ?? -1))
        return await indexer.waitUntilFinished(block, getWaitMs(budget));
      return await indexer.waitForHead(getWaitMs(budget));
    }),
  waitForNextPoll: () => indexer.waitForNextPoll(),
  getRevision: () => indexer.revision,
  waitForChanges: () => indexer.waitForChanges(),
  onIndexed: (callback) => indexer.onIndexed(callback),
});

/** The writer for requests: many share its work, and each waits at most as long as its budget allows. */
function limitByBudget(writer: ChainWriter, budget: RequestBudget, clock: Clock): ChainWriter {
  const waitWithinBudget = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = budget.runOutside(work);
    const remainingMs = budget.remainingMs();
    if (remainingMs === null) return await result;
    return await budget.spend(async () => {
      let cancel = (): void => undefined;
      const late = new Promise<never>((_, reject) => {
        const error = createUnavailableError("this request has waited for it long enough");
        cancel = clock.after(remainingMs, () => reject(error));
      });
      return await Promise.race([result, late]).finally(cancel);
    });
  };
  return {
    operator: writer.operator,
    submit: (request) => waitWithinBudget(() => writer.submit(request)),
    find: (id) => writer.find(id),
    refresh: (id) => writer.refresh(id),
    order: (id, order, orderId) => writer.order(id, order, orderId),
    // The poll that it starts belongs to the transaction manager.
    waitForTransaction: (id, timeoutMs) => budget.runOutside(() => writer.waitForTransaction(id, timeoutMs)),
    onPolled: (callback) => writer.onPolled(callback),
    counts: () => writer.counts(),
    getBalance: () => writer.getBalance(),
  };
}

/** Null if there is only one node to compare. */
function createNodePool({ rpcUrl, moreRpcUrls = [], deployment, log }: OpenChainOptions, clock: Clock) {
  if (moreRpcUrls.length === 0) return null;
  return new NodePool({ rpcUrls: [rpcUrl, ...moreRpcUrls], chainId: deployment.chainId, clock, log });
}
