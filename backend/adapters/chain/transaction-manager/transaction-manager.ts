import { randomUUID } from "node:crypto";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ChainWriter, ManagedTransaction, TransactionCounts } from "../../../ports/chain.ts";
import type { TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import { type Rpc, toLogFields } from "../rpc.ts";
import { OperatorWallet } from "./operator-wallet.ts";
import { Reconciler, toManagedTransaction } from "./reconciler.ts";

export interface TransactionManagerOptions {
  readonly rpc: Rpc;
  readonly store: TransactionStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly privateKey: Hex;
  /** The number of the latest block that no reorganization can undo; transactions are watched until then. */
  readonly readFinalBlock: () => Promise<number>;
  readonly pollMs: number;
  /** After this time without a block a transaction is sent again with higher fees. */
  readonly stuckMs: number;
}

/** Below so many blocks a reorganization is likely enough that each poll looks for one. */
const YOUNG_BLOCKS = 32;
/** When no transaction waits and none is young, polls are this many times rarer. */
const OLD_POLL_FACTOR = 8;
/** How often a new nonce is tried after another backend with the same operator key has taken the last one. */
const CREATE_ATTEMPTS_MAX = 20;

const isFinished = ({ status }: ManagedTransaction): boolean => status === "included" || status === "failed";

/**
 * The operator's transactions. Each is signed and stored with its nonce before it is sent, so that after a crash at any
 * point a restart finds and finishes it.
 */
export class TransactionManager implements ChainWriter {
  readonly operator: Address;
  readonly #options: TransactionManagerOptions;
  readonly #wallet: OperatorWallet;
  readonly #reconciler: Reconciler;
  readonly #listeners = new Set<() => void>();
  #queue: Promise<unknown> = Promise.resolve();
  #cancelTimer: (() => void) | null = null;
  #polling: Promise<void> | null = null;
  #closed = false;

  constructor(options: TransactionManagerOptions) {
    const account = privateKeyToAccount(options.privateKey);
    this.operator = account.address;
    this.#options = options;
    this.#wallet = new OperatorWallet(options.rpc, account);
    this.#reconciler = new Reconciler({ ...options, account, wallet: this.#wallet });
  }

  counts(): TransactionCounts {
    return this.#reconciler.counts;
  }

  getBalance(): Promise<bigint> {
    return this.#wallet.getBalance();
  }

  onPolled(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  start(): void {
    this.#schedule(0);
  }

  async submit(request: Parameters<ChainWriter["submit"]>[0]): Promise<ManagedTransaction> {
    const row = await this.#runExclusive(() => this.#create(request, CREATE_ATTEMPTS_MAX));
    this.#schedule(this.#options.pollMs);
    return toManagedTransaction(row);
  }

  async find(id: string): Promise<ManagedTransaction | null> {
    const row = await this.#options.store.find(id);
    return row === null ? null : toManagedTransaction(row);
  }

  async waitForTransaction(id: string, timeoutMs: number): Promise<ManagedTransaction> {
    let timedOut = false;
    let isFirst = true;
    let wake = (): void => undefined;
    const listener = (): void => wake();
    const cancel = this.#options.clock.after(timeoutMs, () => {
      timedOut = true;
      wake();
    });
    this.#listeners.add(listener);
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const transaction = await this.find(id);
        if (transaction === null) throw new Error(`there is no transaction ${id} in the store`);
        if (isFinished(transaction) || timedOut || this.#closed) return transaction;
        if (isFirst) void this.poll();
        isFirst = false;
        await changed;
      }
    } finally {
      cancel();
      this.#listeners.delete(listener);
    }
  }

  async refresh(id: string): Promise<ManagedTransaction> {
    await this.#runExclusive(() => this.#reconciler.reconcile(id));
    this.#schedule(this.#options.pollMs);
    const transaction = await this.find(id);
    if (transaction === null) throw new Error(`there is no transaction ${id} in the store`);
    return transaction;
  }

  /** Reconciles the watched transactions with the chain at once; resolves when that is done. Calls do not overlap. */
  poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    for (const listener of this.#listeners) listener();
    await this.#polling;
    await this.#queue;
  }

  /** Runs one task at a time: nonces are assigned in order, and never while transactions are reconciled. */
  #runExclusive<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer?.();
    if (!this.#closed) this.#cancelTimer = this.#options.clock.after(delayMs, () => void this.poll());
  }

  async #pollOnce(): Promise<void> {
    const { pollMs, log } = this.#options;
    try {
      const { waiting, youngestDepth } = await this.#runExclusive(() => this.#reconciler.reconcile());
      const isYoung = youngestDepth !== null && youngestDepth < YOUNG_BLOCKS;
      if (waiting > 0 || isYoung) this.#schedule(pollMs);
      else if (youngestDepth !== null) this.#schedule(pollMs * OLD_POLL_FACTOR);
    } catch (error) {
      log.debug(toLogFields(error), "the operator's transactions could not be reconciled; trying again");
      this.#schedule(pollMs);
    }
    for (const listener of this.#listeners) listener();
  }

  /** The transaction of this (kind, key): the stored one, or a new one that is signed, stored and sent. */
  async #create(request: Parameters<ChainWriter["submit"]>[0], attemptsLeft: number): Promise<TransactionRow> {
    const { store, log } = this.#options;
    const existing = await store.findByKey(request.kind, request.key);
    if (existing !== null) return existing;
    const row = await this.#sign(request);
    try {
      await store.add(row);
    } catch (error) {
      // Another backend with this operator key may have taken key or nonce between the read and the write.
      const isKeyTaken = (await store.findByKey(row.kind, row.key)) !== null;
      const isNonceTaken = ((await store.getLastNonce(this.operator)) ?? -1) >= row.nonce;
      if (attemptsLeft > 1 && (isKeyTaken || isNonceTaken)) return await this.#create(request, attemptsLeft - 1);
      throw error;
    }
    return await this.#reconciler.broadcast(row).catch((error: unknown) => {
      log.warn({ ...toLogFields(error), transaction: row.id }, "a transaction is stored and not sent yet");
      return row;
    });
  }

  async #sign(request: Parameters<ChainWriter["submit"]>[0]): Promise<TransactionRow> {
    const { kind, key, to, data, value = 0n } = request;
    const { minedCount, ...prepared } = await this.#wallet.prepare({ to, data, value });
    // Transactions that were sent with this key outside of the store have used nonces as well.
    const nonce = Math.max(minedCount, ((await this.#options.store.getLastNonce(this.operator)) ?? -1) + 1);
    const signed = await this.#wallet.sign({ to, data, value }, nonce, prepared);
    return {
      id: randomUUID(),
      kind,
      key,
      from: this.operator,
      nonce,
      to,
      data,
      value,
      ...signed,
      status: "queued",
      block: null,
      createdAtMs: this.#options.clock.nowMs(),
      sentAtMs: null,
      settledAtMs: null,
      lastError: null,
    };
  }
}

export function startTransactionManager(options: TransactionManagerOptions): TransactionManager {
  const manager = new TransactionManager(options);
  manager.start();
  return manager;
}
