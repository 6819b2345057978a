/** Blocks, nonces, mempool and reorganizations of the chain model. */
import {
  type Address,
  type Hex,
  numberToHex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializedEIP1559,
} from "viem";
import { keccak256, toHex } from "../../../backend/adapters/signer/keccak.ts";
import { recoverAddress } from "../../../backend/adapters/signer/secp256k1.ts";
import type { Random } from "../../../testing/random.ts";
import type { Contracts } from "./contracts.ts";
import { type ModelEvent, ModelRevert } from "./encoding.ts";
import { keep } from "./keep.ts";
import { copyState, type State } from "./state.ts";

export interface PooledTransaction {
  readonly hash: Hex;
  readonly from: Address;
  readonly nonce: number;
  readonly to: Address;
  readonly data: Hex;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
}

export interface MinedTransaction extends PooledTransaction {
  readonly events: readonly ModelEvent[];
  /** Null if it succeeded. */
  readonly revert: ModelRevert | null;
  /** The index of its first event in the block. */
  readonly firstLogIndex: number;
}

export interface ModelBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly time: number;
  readonly baseFee: bigint;
  readonly transactions: readonly MinedTransaction[];
  /** The contracts after the block; never changed. */
  readonly state: State;
  /** The next nonce of each account, in lower case. */
  readonly nonces: ReadonlyMap<string, number>;
}

/** How the nodes of the chain differ from others. */
export interface NodeTraits {
  /** The tip that they propose. */
  readonly tipGwei: number;
  /** Whether they do not accept transactions that the next block could not include. */
  readonly rejectsCheap: boolean;
  /** Whether they have `eth_getBlockReceipts`. */
  readonly listsReceipts: boolean;
}

const USUAL_TRAITS: NodeTraits = { tipGwei: 0.1, rejectsCheap: false, listsReceipts: true };

/** An error as the JSON-RPC interface reports it. */
export class NodeError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const GWEI = 10n ** 9n;
/** The base fees of runs. The last one is above the operator's fee cap. */
export const BASE_FEES = [GWEI, 60n * GWEI, 150n * GWEI] as const;
const toKey = (address: string): string => address.toLowerCase();
const hashText = (text: string): Hex => toHex(keccak256(Buffer.from(text)));
const toBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");

/** A transaction is resent repeatedly, and the operator's first ones are the same in many runs. */
const parsed = new Map<Hex, PooledTransaction>();

export const parseSent = (raw: Hex): PooledTransaction => keep(parsed, raw, () => parseRaw(raw));

function parseRaw(raw: Hex): PooledTransaction {
  const { r, s, v: _, yParity, ...transaction } = parseTransaction(raw as TransactionSerializedEIP1559);
  const digest = keccak256(toBytes(serializeTransaction(transaction)));
  const compact = Buffer.concat([r!, s!].map((part) => toBytes(`0x${part.slice(2).padStart(64, "0")}`)));
  const from = recoverAddress(digest, compact, yParity === 1 ? 1 : 0);
  if (from === null) throw new NodeError(-32000, "invalid sender");
  const { to, data = "0x", nonce = 0, maxFeePerGas = 0n } = transaction;
  return { hash: toHex(keccak256(toBytes(raw))), from, nonce, to: to!, data, maxFeePerGas };
}

export class Chain {
  readonly contracts: Contracts;
  readonly blocks: ModelBlock[];
  readonly pool = new Map<Hex, PooledTransaction>();
  /** The minimum fee of a block, in wei per gas. */
  baseFee = GWEI;
  traits = USUAL_TRAITS;
  /** Called after each change of the blocks. */
  onChanged = (): void => undefined;
  /** Blocks that reorganizations have dropped, in their original order. */
  readonly dropped: ModelBlock[] = [];
  readonly #random: Random;

  /** Starts with a block of this time and state, or with the blocks of another chain. */
  constructor(
    contracts: Contracts,
    random: Random,
    genesis: { readonly time: number; readonly state: State } | { readonly blocks: readonly ModelBlock[] },
  ) {
    this.contracts = contracts;
    this.#random = random;
    if ("blocks" in genesis) {
      this.blocks = [...genesis.blocks];
      return;
    }
    const hash = hashText(`genesis ${random.int(2 ** 30)}`);
    const empty = { transactions: [], nonces: new Map(), baseFee: GWEI, ...genesis };
    this.blocks = [{ number: 0, hash, parentHash: `0x${"00".repeat(32)}`, ...empty }];
  }

  get head(): ModelBlock {
    return this.blocks.at(-1)!;
  }

  getNonce(address: string, block = this.head): number {
    return block.nonces.get(toKey(address)) ?? 0;
  }

  /** The next nonce, counting waiting transactions. */
  getPendingNonce(address: string): number {
    const waiting = new Set(this.#listOf(address).map(({ nonce }) => nonce));
    let nonce = this.getNonce(address);
    while (waiting.has(nonce)) nonce += 1;
    return nonce;
  }

  /** Adds a signed transaction to the mempool. Throws `NodeError` like a node. */
  sendRaw(raw: Hex): Hex {
    return this.add(parseSent(raw));
  }

  /** Adds an agent's transaction, whose signature the model does not check. */
  sendCall(from: Address, to: Address, data: Hex): Hex {
    const nonce = this.getPendingNonce(from);
    const hash = hashText(`${from} ${nonce} ${data} ${this.#random.int(2 ** 30)}`);
    return this.add({ hash, from, nonce, to, data, maxFeePerGas: 1_000n * GWEI });
  }

  add(transaction: PooledTransaction): Hex {
    const { hash, from, nonce, maxFeePerGas } = transaction;
    if (this.pool.has(hash)) throw new NodeError(-32000, "already known");
    if (nonce < this.getNonce(from)) throw new NodeError(-32000, "nonce too low");
    if (this.traits.rejectsCheap && maxFeePerGas < this.baseFee)
      throw new NodeError(-32000, "max fee per gas less than block base fee");
    const other = this.#listOf(from).find((waiting) => waiting.nonce === nonce);
    if (other !== undefined && maxFeePerGas * 10n < other.maxFeePerGas * 11n)
      throw new NodeError(-32000, "replacement transaction underpriced");
    if (other !== undefined) this.pool.delete(other.hash);
    this.pool.set(hash, transaction);
    return hash;
  }

  /** Mines a block with this time (unix seconds) and the mempool's transactions. */
  mine(time: number): ModelBlock {
    const parent = this.head;
    const at = Math.max(time, parent.time + 1);
    const chosen = this.#choose(parent);
    const state = chosen.length === 0 ? parent.state : copyState(parent.state);
    const nonces = new Map(parent.nonces);
    let logs = 0;
    const transactions = chosen.map((transaction) => {
      this.pool.delete(transaction.hash);
      nonces.set(toKey(transaction.from), transaction.nonce + 1);
      const mined = this.#execute(state, transaction, at, logs);
      logs += mined.events.length;
      return mined;
    });
    const number = parent.number + 1;
    const hash = hashText(
      `${parent.hash} ${at} ${transactions.map((tx) => tx.hash).join()} ${this.#random.int(2 ** 30)}`,
    );
    const block = {
      number,
      hash,
      parentHash: parent.hash,
      time: at,
      baseFee: this.baseFee,
      transactions,
      state,
      nonces,
    };
    this.blocks.push(block);
    this.onChanged();
    return block;
  }

  /** Drops the last blocks. Their transactions return to the mempool, except those that the nodes forget. */
  drop(depth: number, isForgotten: (transaction: PooledTransaction) => boolean): void {
    const dropped = this.blocks.splice(Math.max(1, this.blocks.length - depth));
    this.dropped.push(...dropped);
    for (const { transactions } of dropped)
      for (const { hash, from, nonce, to, data, maxFeePerGas } of transactions) {
        const transaction = { hash, from, nonce, to, data, maxFeePerGas };
        if (!isForgotten(transaction)) this.pool.set(hash, transaction);
      }
    this.onChanged();
  }

  find(hash: Hex): { readonly block: ModelBlock; readonly transaction: MinedTransaction } | null {
    for (let index = this.blocks.length - 1; index >= 0; index--) {
      const block = this.blocks[index]!;
      const transaction = block.transactions.find((mined) => mined.hash === hash);
      if (transaction !== undefined) return { block, transaction };
    }
    return null;
  }

  /** The transactions that used an operator's nonce, in current blocks and in those dropped after `droppedBefore`. */
  listUses(nonce: number, droppedBefore: number): readonly MinedTransaction[] {
    const { operator } = this.contracts.config;
    return [...this.blocks, ...this.dropped.slice(droppedBefore)]
      .flatMap(({ transactions }) => transactions)
      .filter((mined) => mined.nonce === nonce && mined.from === operator);
  }

  /** Runs a call on top of a block and keeps nothing. Throws `NodeError` if it reverts. */
  simulate(block: ModelBlock, call: { readonly from: Address; readonly to: Address; readonly data: Hex }): void {
    try {
      this.contracts.execute(copyState(block.state), { ...call, time: BigInt(block.time) });
    } catch (error) {
      if (!(error instanceof ModelRevert)) throw error;
      throw new NodeError(3, `execution reverted: ${error.message}`, error.data);
    }
  }

  /** Transactions in an order that respects nonces and fees; accounts are drawn. */
  #choose(parent: ModelBlock): readonly PooledTransaction[] {
    const accounts = [...new Set([...this.pool.values()].map(({ from }) => from))];
    const chosen: PooledTransaction[] = [];
    while (accounts.length > 0) {
      const [from] = accounts.splice(this.#random.int(accounts.length), 1);
      let nonce = this.getNonce(from!, parent);
      for (const transaction of this.#listOf(from!)) {
        if (transaction.nonce < nonce) this.pool.delete(transaction.hash);
        if (transaction.nonce !== nonce || transaction.maxFeePerGas < this.baseFee) continue;
        chosen.push(transaction);
        nonce += 1;
      }
    }
    return chosen;
  }

  #execute(state: State, transaction: PooledTransaction, time: number, firstLogIndex: number): MinedTransaction {
    try {
      const events = this.contracts.execute(state, { ...transaction, time: BigInt(time) });
      return { ...transaction, events, revert: null, firstLogIndex };
    } catch (error) {
      if (!(error instanceof ModelRevert)) throw error;
      return { ...transaction, events: [], revert: error, firstLogIndex };
    }
  }

  #listOf(address: string): readonly PooledTransaction[] {
    const from = toKey(address);
    return [...this.pool.values()].filter((waiting) => toKey(waiting.from) === from).sort((a, b) => a.nonce - b.nonce);
  }
}

export const toQuantity = (value: bigint | number): Hex => numberToHex(value);
