import { readFile, writeFile } from "node:fs/promises";
import type { Hex } from "viem";
import { toHex } from "viem";
import { replaceFileByCopy } from "../backend/adapters/node/replace-file.ts";
import {
  BY_BLOCK,
  CONSTANT_ANSWERS,
  describePool,
  translateMethod,
  translateMine,
  translateParams,
} from "./dialects.ts";
import { FAUCET } from "./engine.ts";
import { JournaledEngine, type JournaledEngineOptions } from "./journaled-engine.ts";
import { RpcError } from "./rpc-error.ts";
import { RwLock } from "./rw-lock.ts";
import { sendInOrder } from "./send-in-order.ts";

type Params = readonly unknown[];

const MUTATION = /^(eth_send|evm_|hardhat_)(?!getAutomine|metadata)/;
const SENT_SYNC = /^eth_send(Raw)?TransactionSync$/;
const OF_FILTER = /^eth_getFilter(Changes|Logs)$/;
const INTERVAL_MAX_MS = 3_600_000;

/** viem's `reset` sends `{ forking: { blockNumber: NaN } }`, and JSON turns NaN into null. */
const isEmpty = (value: unknown): boolean =>
  typeof value === "object" ? Object.values(value ?? {}).every(isEmpty) : value === undefined || Number.isNaN(value);

/** The transactions of a reorganization, each with the index of its block. */
function readPlaced(depth: unknown, value: unknown): Parameters<JournaledEngine["reorg"]>[1] {
  const isPlaced = (pair: unknown) =>
    Array.isArray(pair) && Number.isInteger(pair[1]) && pair[1] >= 0 && pair[1] < Number(depth);
  if (Array.isArray(value) && value.every(isPlaced)) return value;
  const received = JSON.stringify(value);
  throw new RpcError(-32_602, `Expected a list of [transaction, index below the depth], received ${received}`);
}

/** The transactions that a reorganization loses; null for all of them. */
function readLost(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && value.every((hash) => /^0x[0-9a-f]{64}$/i.test(String(hash))))
    return value.map((hash) => String(hash).toLowerCase());
  const received = JSON.stringify(value);
  throw new RpcError(-32_602, `Expected a list of transaction hashes to lose, or null for all, received ${received}`);
}

/**
 * The local chain's node. Changes run one at a time; reads wait for a running change, so that no reader sees a block
 * that a crash could take back.
 */
export class LocalNode {
  readonly #options: JournaledEngineOptions;
  readonly #lock = new RwLock();
  readonly #changeListeners = new Set<() => void>();
  readonly #listeners = new Set<(message: unknown) => void>();
  #engine: JournaledEngine;
  #interval: NodeJS.Timeout | undefined;
  /** The params of open subscriptions, by the engine's number. */
  readonly #subscriptions = new Map<number, Params>();
  /** The engine's number of the last filter or subscription. */
  #lastFilter = 0;

  private constructor(options: JournaledEngineOptions, engine: JournaledEngine) {
    this.#options = options;
    this.#engine = engine;
    this.#forwardMessages();
  }

  /** Starts the chain that the journal holds, or a new one. */
  static async start(options: JournaledEngineOptions): Promise<LocalNode> {
    return new LocalNode(options, await JournaledEngine.open(options));
  }

  get blockNumber(): number {
    return this.#engine.blockNumber;
  }

  /** EIP-1193 request. Throws what the engine throws: an error with a JSON-RPC `code` and, for a revert, hex `data`. */
  async request(name: string, given: Params = []): Promise<unknown> {
    const method = translateMethod(name);
    const params = translateParams(method, given);
    const mine = translateMine(method, params);
    if (mine !== null) return this.request(...mine);
    if (Object.hasOwn(CONSTANT_ANSWERS, method)) return CONSTANT_ANSWERS[method];
    if (method === "evm_setIntervalMining")
      // Anvil counts seconds.
      return this.#setIntervalMining(name === "anvil_setIntervalMining" ? Number(params[0]) * 1_000 : params[0]);
    if (method === "hardhat_reset") return this.#reset(params);
    if (method.startsWith("txpool_"))
      return describePool(
        method,
        (await this.request("eth_pendingTransactions")) as Parameters<typeof describePool>[1],
      );
    if (method === "anvil_reorg")
      return this.#change((engine) => engine.reorg(params[0], readPlaced(params[0], params[1] ?? [])));
    if (method === "arcade_reorg") return this.#change((engine) => engine.reorgWithout(params[0], readLost(params[1])));
    if (method === "anvil_rollback") return this.#change((engine) => engine.rollBack(params[0] ?? 1));
    if (SENT_SYNC.test(method)) return this.#sendAndRead(method.replace("Sync", ""), params.slice(0, 1));
    if (Object.hasOwn(BY_BLOCK, method)) return this.#lock.read(() => this.#callByBlock(method, params));
    if (!MUTATION.test(method)) {
      const result = await this.#lock.read(() => this.#engine.call(method, params));
      this.#followSubscriptions(method, params, result);
      // Libraries make a new filter after this error, and stop at the engine's null.
      if (result === null && OF_FILTER.test(method)) throw new RpcError(-32_000, "filter not found");
      // ethers cannot read a pending block without a number; geth gives it the next one.
      const block = result as { readonly number?: unknown } | null;
      if (method === "eth_getBlockByNumber" && block?.number === null)
        return { ...block, number: toHex(this.blockNumber + 1) };
      return result;
    }
    const send = () => this.#change((engine) => engine.mutate(method, params));
    return method.startsWith("eth_send") ? sendInOrder(send) : send();
  }

  /** A transaction's receipt (EIP-7966). */
  async #sendAndRead(method: string, params: Params): Promise<unknown> {
    const hash = await this.request(method, params);
    const receipt = await this.request("eth_getTransactionReceipt", [hash]);
    if (receipt !== null) return receipt;
    throw new RpcError(4, `No block has ${hash} yet; mine one and use eth_getTransactionReceipt`);
  }

  /** Calls a method for each transaction of a block; null if a block does not exist. */
  async #callByBlock(method: string, [given, ...others]: Params): Promise<unknown> {
    const { blockHash, blockNumber } = Object(given) as { readonly [key: string]: unknown };
    const id = blockHash ?? blockNumber ?? given;
    const isHash = String(id).length === 66;
    const block = (await this.#engine.call(isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber", [id, false])) as {
      readonly transactions: readonly string[];
    } | null;
    if (block === null) return null;
    const results: unknown[] = [];
    for (const hash of block.transactions) results.push(await this.#engine.call(BY_BLOCK[method]!, [hash, ...others]));
    if (method === "eth_getBlockReceipts") return results.includes(null) ? null : results;
    return results.map((result, index) => ({ txHash: block.transactions[index], result }));
  }

  #change<T>(run: (engine: JournaledEngine) => Promise<T>): Promise<T> {
    return this.#lock.write(() => run(this.#engine).finally(() => this.#announceChange()));
  }

  /** 0 stops it. */
  #setIntervalMining(interval: unknown): boolean {
    const ms = Number(interval);
    if (!Number.isInteger(ms) || ms < 0 || ms > INTERVAL_MAX_MS)
      throw new RpcError(
        -32_602,
        `Expected milliseconds from 0 to ${INTERVAL_MAX_MS}, received ${JSON.stringify(interval)}`,
      );
    clearInterval(this.#interval);
    if (ms > 0) this.#interval = setInterval(() => void this.request("evm_mine").catch(() => undefined), ms).unref();
    return true;
  }

  /** Restarts at block 0, without the contracts. */
  async #reset(params: Params): Promise<boolean> {
    if (!isEmpty(params)) throw new RpcError(-32_602, "Expected no chain or block to fork: this chain cannot fork");
    await this.#replaceJournal(async (path) => {
      const journal = await readFile(path, "utf8");
      await writeFile(path, journal.slice(0, journal.indexOf("\n") + 1));
    });
    this.#announceChange();
    return true;
  }

  /** Calls back after each change, before the caller that has made it gets its result. */
  onChanged(listener: () => void): void {
    this.#changeListeners.add(listener);
  }

  #announceChange(): void {
    for (const listener of this.#changeListeners) listener();
  }

  /** Sends wei from the faucet to `address`; returns the transaction's hash. */
  async fund(address: Hex, amountWei: bigint): Promise<Hex> {
    const transaction = { from: FAUCET.address, to: address, value: toHex(amountWei) };
    return (await this.request("eth_sendTransaction", [transaction])) as Hex;
  }

  /** Copies the whole chain to `path`. */
  save(path: string): Promise<void> {
    return this.#lock.write(() => replaceFileByCopy(this.#options.journalPath, path));
  }

  /** Replaces the chain by the one that `save` copied to `path`. Clients see a reorganization. */
  load(path: string): Promise<void> {
    return this.#replaceJournal((journalPath) => replaceFileByCopy(path, journalPath));
  }

  #replaceJournal(replace: (path: string) => Promise<void>): Promise<void> {
    return this.#lock.write(async () => {
      await replace(this.#options.journalPath);
      await this.#engine.close();
      this.#engine = await JournaledEngine.open(this.#options);
      this.#forwardMessages();
      await this.#subscribeAgain();
    });
  }

  #followSubscriptions(method: string, params: Params, result: unknown): void {
    if (method === "eth_subscribe" || method.startsWith("eth_new")) this.#lastFilter = Number(result);
    if (method === "eth_subscribe") this.#subscriptions.set(Number(result), params);
    if (method === "eth_unsubscribe") this.#subscriptions.delete(Number(params[0]));
  }

  /** A new engine counts filters and subscriptions from 1. Subscriptions keep their numbers, other numbers end. */
  async #subscribeAgain(): Promise<void> {
    for (let number = 1; number <= this.#lastFilter; number++) {
      const params = this.#subscriptions.get(number);
      if (params !== undefined) await this.#engine.call("eth_subscribe", params);
      else await this.#engine.call("eth_uninstallFilter", [await this.#engine.call("eth_newBlockFilter", [])]);
    }
  }

  /** Calls `listener` with each notification of a subscription; the returned function removes it. */
  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#interval);
    await this.#lock.write(() => this.#engine.close());
  }

  #forwardMessages(): void {
    this.#engine.onMessage((message) => {
      for (const listener of this.#listeners) listener(message);
    });
  }
}
