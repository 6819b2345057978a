/** The JSON-RPC interface of the chain model, as one node serves it. */
import { type Address, type Hex, parseGwei } from "viem";
import { keccak256 } from "../../../backend/adapters/signer/keccak.ts";
import { type Chain, type MinedTransaction, type ModelBlock, NodeError, toQuantity } from "./chain.ts";
import { ModelRevert } from "./encoding.ts";
import { readAggregate, readKeptView } from "./kept-views.ts";

type Call = { readonly from?: Address; readonly to?: Address; readonly data?: Hex };

export interface NodeView {
  readonly chain: Chain;
  readonly chainId: number;
  /** How many blocks this node is behind the others. */
  readonly lagBlocks: number;
  /** The longest range of logs in blocks; null for no limit. */
  readonly rangeMax: number | null;
  /** The depth at which a block is final; null if this node does not know the tag `finalized`. */
  readonly finalDepth?: number | null;
  /** Whether headers have the bloom of their logs; some chains leave it empty. */
  readonly hasBlooms?: boolean;
}

/** What each call of the model needs. */
export const ESTIMATED_GAS = 120_000n;
/** The depth at which a block is final; deeper than any reorganization of a run. */
export const FINAL_DEPTH = 12;
/** The error code for a range of logs that is too long. */
export const RANGE_EXCEEDED = -32005;
const EMPTY_BLOOM = `0x${"00".repeat(256)}`;

const toBlockJson = (block: ModelBlock) => ({
  number: toQuantity(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  timestamp: toQuantity(block.time),
  baseFeePerGas: toQuantity(block.baseFee),
  logsBloom: EMPTY_BLOOM,
  transactions: block.transactions.map(({ hash }) => hash),
  gasLimit: "0x1c9c380",
  gasUsed: "0x0",
});
/** A block never changes, and each poll reads some again. */
const blockJsons = new WeakMap<ModelBlock, ReturnType<typeof toBlockJson>>();

/** The bits of the addresses and topics of a block's logs (Yellow Paper, 4.3.1); other contracts log something too. */
function createBloom({ transactions }: ModelBlock): Hex {
  const bits = Buffer.alloc(256);
  const values = transactions.flatMap(({ to, events }) =>
    events.length === 0 ? [to] : events.flatMap(({ address, topics }) => [address, ...topics]),
  );
  for (const value of values) {
    const hash = Buffer.from(keccak256(Buffer.from(value.slice(2), "hex")));
    for (const offset of [0, 2, 4]) {
      const bit = hash.readUInt16BE(offset) % 2048;
      bits[255 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return `0x${bits.toString("hex")}`;
}

/** In the form of `eth_getBlockByNumber` with full transactions. No call of the model transfers ether. */
const listTransactions = ({ transactions, number, hash: blockHash }: ModelBlock) =>
  transactions.map(({ hash, from, to, nonce, data }) => ({
    ...{ hash, from, to, input: data, value: "0x0", nonce: toQuantity(nonce) },
    ...{ blockHash, blockNumber: toQuantity(number) },
  }));

const toLogs = (block: ModelBlock, { hash, events, firstLogIndex }: MinedTransaction) =>
  events.map(({ address, topics, data }, index) => ({
    ...{ address, topics, data, blockHash: block.hash, transactionHash: hash, removed: false },
    blockNumber: toQuantity(block.number),
    logIndex: toQuantity(firstLogIndex + index),
    transactionIndex: toQuantity(block.transactions.findIndex((mined) => mined.hash === hash)),
  }));
/** A mined transaction belongs to one block, and the indexer reads its logs many times. */
const keptLogs = new WeakMap<MinedTransaction, ReturnType<typeof toLogs>>();

function listLogs(block: ModelBlock, transaction: MinedTransaction): ReturnType<typeof toLogs> {
  const logs = keptLogs.get(transaction) ?? toLogs(block, transaction);
  keptLogs.set(transaction, logs);
  return logs;
}

const toReceipt = (block: ModelBlock, transaction: MinedTransaction) => ({
  transactionHash: transaction.hash,
  blockHash: block.hash,
  blockNumber: toQuantity(block.number),
  status: transaction.revert === null ? "0x1" : "0x0",
  logs: listLogs(block, transaction),
});

/** Answers one request. Throws `NodeError`. */
export class ModelNode {
  readonly #view: NodeView;

  constructor(view: NodeView) {
    this.#view = view;
  }

  handle(method: string, params: readonly unknown[]): unknown {
    const { chain, chainId } = this.#view;
    switch (method) {
      case "eth_chainId":
        return toQuantity(chainId);
      case "eth_getBlockByNumber":
        return this.#readBlock(params[0], params[1] === true);
      case "eth_getLogs":
        return this.#readLogs(params[0] as Record<string, Hex>);
      case "eth_call":
        return this.#call(params[0] as Call, params[1] ?? "latest");
      case "eth_estimateGas":
        if (params[1] === "pending") throw new NodeError(-32000, "pending block is not available");
        chain.simulate(this.#head, params[0] as Required<Call>);
        return toQuantity(ESTIMATED_GAS);
      case "eth_maxPriorityFeePerGas":
        return toQuantity(parseGwei(String(chain.traits.tipGwei)));
      case "eth_getTransactionCount":
        return toQuantity(
          params[1] === "pending"
            ? chain.getPendingNonce(params[0] as string)
            : chain.getNonce(params[0] as string, this.#requireBlock(params[1] ?? "latest")),
        );
      case "eth_sendRawTransaction":
        return chain.sendRaw(params[0] as Hex);
      case "eth_getBalance":
        return toQuantity(10n ** 20n);
      case "eth_getCode":
        return "0x";
      default:
        return this.#readTransaction(method, params);
    }
  }

  #readTransaction(method: string, params: readonly unknown[]): unknown {
    const { chain } = this.#view;
    const hash = params[0] as Hex;
    if (method === "eth_getBlockReceipts" && chain.traits.listsReceipts) {
      const block = this.#findBlock(hash);
      return block === null ? null : block.transactions.map((transaction) => toReceipt(block, transaction));
    }
    const mined = chain.find(hash);
    const found = mined === null || mined.block.number > this.#head.number ? null : mined;
    if (method === "eth_getTransactionReceipt")
      return found === null ? null : toReceipt(found.block, found.transaction);
    if (method !== "eth_getTransactionByHash") throw new NodeError(-32601, `the method ${method} does not exist`);
    if (found !== null) return { hash, blockNumber: toQuantity(found.block.number) };
    return chain.pool.has(hash) ? { hash, blockNumber: null } : null;
  }

  get #head(): ModelBlock {
    const { blocks } = this.#view.chain;
    return blocks[Math.max(0, blocks.length - 1 - this.#view.lagBlocks)]!;
  }

  /** A block by number, tag or hash; null if this node has none. */
  #findBlock(target: unknown): ModelBlock | null {
    const { chain } = this.#view;
    const head = this.#head;
    if (target === "latest" || target === "pending") return head;
    const { finalDepth = FINAL_DEPTH } = this.#view;
    if (target === "finalized" && finalDepth === null) throw new NodeError(-32602, "unknown block tag");
    if (target === "finalized") return chain.blocks[Math.max(0, head.number - finalDepth!)]!;
    const { blockHash } = target as { readonly blockHash?: Hex };
    const block =
      blockHash === undefined ? chain.blocks[Number(target)] : chain.blocks.findLast(({ hash }) => hash === blockHash);
    return block === undefined || block.number > head.number ? null : block;
  }

  #requireBlock(target: unknown): ModelBlock {
    const block = this.#findBlock(target);
    if (block === null) throw new NodeError(-32000, "header not found");
    return block;
  }

  #readBlock(target: unknown, hasTransactions: boolean): unknown {
    const block = this.#findBlock(target);
    if (block === null) return null;
    const json = blockJsons.get(block) ?? toBlockJson(block);
    blockJsons.set(block, json);
    if (hasTransactions) return { ...json, transactions: listTransactions(block) };
    return this.#view.hasBlooms ? { ...json, logsBloom: createBloom(block) } : json;
  }

  #readLogs({ blockHash, fromBlock, toBlock }: Record<string, Hex>): unknown {
    const { chain, rangeMax } = this.#view;
    if (blockHash !== undefined) {
      const block = this.#findBlock({ blockHash });
      if (block === null) throw new NodeError(-32000, "unknown block");
      return block.transactions.flatMap((transaction) => listLogs(block, transaction));
    }
    const [from, to] = [Number(fromBlock), Math.min(Number(toBlock), this.#head.number)];
    if (rangeMax !== null && Number(toBlock) - from + 1 > rangeMax)
      throw new NodeError(RANGE_EXCEEDED, `query exceeds the range of ${rangeMax} blocks`);
    return chain.blocks.slice(from, to + 1).flatMap((block) => block.transactions.flatMap((tx) => listLogs(block, tx)));
  }

  #call({ from, to, data = "0x" }: Call, target: unknown): unknown {
    const { chain } = this.#view;
    const block = this.#requireBlock(target);
    const context = { contracts: chain.contracts, block, time: BigInt(block.time) };
    if (to === undefined) {
      const results = readAggregate(data, context);
      if (results === null) throw new NodeError(-32000, "the model runs no code but that of Multicall3");
      return results;
    }
    try {
      const result = readKeptView(data, { ...context, to: to.toLowerCase() });
      if (result !== null) return result;
    } catch (error) {
      if (!(error instanceof ModelRevert)) throw error;
      throw new NodeError(3, `execution reverted: ${error.message}`, error.data);
    }
    chain.simulate(block, { from: from!, to, data });
    return "0x";
  }
}
