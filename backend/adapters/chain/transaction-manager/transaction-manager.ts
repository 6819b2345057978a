import type { Address } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { KeySource } from "../../../../domain/keys.ts";
import { checkOperatorCall, type OperatorPolicy } from "../../../../domain/operator-policy.ts";
import type { TransactionOrder, TransactionOrderOutcome } from "../../../../domain/operator-transactions.ts";
import type { TransactionStore } from "../../../ports/store/chain.ts";
import type { Singleton } from "../../../ports/store/nodes.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import type { ChainWriter, ManagedTransaction, TransactionCounts } from "../../../ports/transactions.ts";
import type { Rpc } from "../rpc.ts";
import { toLogFields } from "../rpc-errors.ts";
import { MovableAccount } from "./account.ts";
import { BatchSize } from "./batch-size.ts";
import { createHeldStore } from "./held-store.ts";
import type { SubmitRequest } from "./jobs.ts";
import { OperatorWallet } from "./operator-wallet.ts";
import { Reconciler, toManagedTransaction } from "./reconciler.ts";
import { Sender } from "./sender.ts";
import { SerialQueue } from "./serial-queue.ts";
import { Submitter } from "./submitter.ts";

export interface TransactionManagerOptions {
  readonly rpc: Rpc;
  /** A connection that sends `LARGE_BATCH_SIZE` calls in one request. */
  readonly largeBatchRpc: Rpc;
  readonly store: TransactionStore;
  readonly clock: Clock;
  readonly log: Log;
  /** The operator's key. */
  readonly privateKey: KeySource;
  /** The number of the latest block that no reorganization can undo; transactions are watched until then. */
  readonly readFinalBlock: () => Promise<number>;
  readonly pollMs: number;
  /** After this time without a block a transaction is sent again with higher fees. */
  readonly stuckMs: number;
  /** The highest fee per gas that the operator pays, in wei; a transaction that needs more waits. Null: no limit. */
  readonly feeCap: bigint | null;
  /** Decides which of several backends reconciles the transactions; left out if this one is the only one. */
  readonly singleton?: Singleton;
  /** Limits what the key signs. Null: no limits, for tests. */
  readonly policy?: OperatorPolicy | null;
  /** Records a call that the policy has refused, with the reason. */
  readonly recordRefusal?: (request: SubmitRequest, reason: string) => Promise<void>;
}

/** This close to the head a reorganization is more likely. */
const YOUNG_BLOCKS = 32;
/** How many times rarer polls are when no transaction waits: while one is young, and later, until all are final. */
const YOUNG_POLL_FACTOR = 2;
const OLD_POLL_FACTOR = 16;

const isFinished = ({ status }: ManagedTransaction): boolean => status === "included" || status === "failed";

/**
 * The operator's transactions. Each is signed and stored with its nonce before it is sent, so that after a crash at any
 * point a restart finds and finishes it.
 */
export class TransactionManager implements ChainWriter {
  readonly operator: Address;
  readonly #options: TransactionManagerOptions;
  readonly #account: MovableAccount;
  readonly #wallet: OperatorWallet;
  readonly #submitter: Submitter;
  readonly #reconciler: Reconciler;
  readonly #reconciliations = new SerialQueue();
  readonly #listeners = new Set<() => void>();
  #nextPoll: { readonly atMs: number; readonly cancel: () => void } | null = null;
  #polling: Promise<void> | null = null;
  #closed = false;
  #againstPolicy = 0;

  constructor(options: TransactionManagerOptions) {
    const account = new MovableAccount(options.privateKey, options.clock);
    const wallet = new OperatorWallet(options.rpc, options.largeBatchRpc, account, {
      feeCap: options.feeCap,
      gasMax: options.policy?.gasPerCall ?? null,
    });
    const batchSize = new BatchSize();
    const sender = new Sender({ ...options, wallet, batchSize });
    const onRefused = (request: SubmitRequest, error: Error): void => this.#onRefused(request, error);
    const shared = { ...options, account, wallet, sender, batchSize, nonces: new SerialQueue(), onRefused };
    this.operator = account.address;
    this.#account = account;
    this.#options = options;
    this.#wallet = wallet;
    this.#submitter = new Submitter({
      ...shared,
      onUnderpriced: () => this.#pollWithin(0),
    });
    const isLocal = isLocalChain(options.rpc.chainId);
    const store = createHeldStore(options.store, () => this.#mayReconcile());
    this.#reconciler = new Reconciler({ ...shared, store, isLocal });
  }

  counts(): TransactionCounts {
    return { ...this.#reconciler.counts, againstPolicy: this.#againstPolicy };
  }

  /** From now on signs with the operator's key from this source. Throws if it is another account's key. */
  moveKey(source: KeySource): void {
    this.#account.move(source);
  }

  getBalance(): Promise<bigint> {
    return this.#wallet.getBalance();
  }

  onPolled(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  start(): void {
    this.#pollWithin(0);
  }

  async submit(request: SubmitRequest): Promise<ManagedTransaction> {
    this.#checkPolicy(request);
    const row = await this.#submitter.submit(request);
    this.#pollWithin(this.#options.pollMs);
    return toManagedTransaction(row);
  }

  /** Runs before anything is stored or signed. Throws `OperatorPolicyError`. */
  #checkPolicy(request: SubmitRequest): void {
    const { policy = null } = this.#options;
    if (policy === null) return;
    try {
      checkOperatorCall(policy, request);
    } catch (error) {
      this.#onRefused(request, error as Error);
      throw error;
    }
  }

  #onRefused(request: SubmitRequest, error: Error): void {
    const { log, recordRefusal } = this.#options;
    this.#againstPolicy += 1;
    const fields = { kind: request.kind, key: request.key, to: request.to };
    log.error({ err: error, ...fields }, "a call against the operator's policy was rejected");
    recordRefusal?.(request, error.message).catch((cause: unknown) =>
      log.error({ err: cause, ...fields }, "a rejected call could not be recorded"),
    );
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
    if (this.#mayReconcile()) await this.#reconciliations.run(() => this.#reconciler.reconcile({ isFull: true }));
    else await this.#requireSameBlock(id);
    this.#pollWithin(this.#options.pollMs);
    const transaction = await this.find(id);
    if (transaction === null) throw new Error(`there is no transaction ${id} in the store`);
    return transaction;
  }

  async order(id: string, order: TransactionOrder, orderId: string | null = null): Promise<TransactionOrderOutcome> {
    const outcome = await this.#reconciliations.run(() => this.#reconciler.order(id, order, orderId));
    this.#pollWithin(this.#options.pollMs);
    return outcome;
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
    this.#nextPoll?.cancel();
    for (const listener of this.#listeners) listener();
    await this.#polling;
    await this.#submitter.waitUntilIdle();
    await this.#reconciliations.waitUntilIdle();
  }

  /** Polls after `delayMs`, or earlier if a poll is already planned. */
  #pollWithin(delayMs: number): void {
    if (this.#closed) return;
    const { clock } = this.#options;
    const atMs = clock.monotonicMs() + delayMs;
    if (this.#nextPoll !== null && this.#nextPoll.atMs <= atMs) return;
    this.#nextPoll?.cancel();
    const cancel = clock.after(delayMs, () => {
      this.#nextPoll = null;
      void this.#pollAfresh();
    });
    this.#nextPoll = { atMs, cancel };
  }

  /** Waits for a poll in progress first: it may have read the store too early. */
  async #pollAfresh(): Promise<void> {
    await this.#polling;
    if (!this.#closed) await this.poll();
  }

  async #pollOnce(): Promise<void> {
    const { pollMs, log, singleton } = this.#options;
    try {
      if (!this.#mayReconcile()) return;
      const { waiting, youngestDepth } = await this.#reconciliations.run(() => this.#reconciler.reconcile());
      if (waiting > 0) this.#pollWithin(pollMs);
      else if (youngestDepth !== null)
        this.#pollWithin(pollMs * (youngestDepth < YOUNG_BLOCKS ? YOUNG_POLL_FACTOR : OLD_POLL_FACTOR));
    } catch (error) {
      log.debug(toLogFields(error), "the operator's transactions could not be reconciled; trying again");
      this.#pollWithin(pollMs);
    } finally {
      // Other backends submit transactions too, and their reconciled results are in the store.
      if (singleton !== undefined) this.#pollWithin(pollMs);
      for (const listener of this.#listeners) listener();
    }
  }

  /** Throws `CHAIN_UNAVAILABLE` until the backend that reconciles has noticed that a transaction lost its block. */
  async #requireSameBlock(id: string): Promise<void> {
    const row = await this.#options.store.find(id);
    if (row === null || row.block === null) return;
    const [found] = await this.#wallet.locate([row.txHash]);
    if (found !== null && typeof found === "object" && found.block === row.block) return;
    throw new ArcadeError(
      "CHAIN_UNAVAILABLE",
      `Transaction ${row.txHash} is not in block ${row.block} any more; try again in a few seconds.`,
    );
  }

  #mayReconcile(): boolean {
    return this.#options.singleton?.isHeld() ?? true;
  }
}

export function startTransactionManager(options: TransactionManagerOptions): TransactionManager {
  const manager = new TransactionManager(options);
  manager.start();
  return manager;
}
