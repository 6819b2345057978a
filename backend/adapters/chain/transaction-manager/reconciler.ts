import type { PrivateKeyAccount } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { ManagedTransaction, TransactionCounts } from "../../../ports/chain.ts";
import type { TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import { createNextVersion, listSignedVersions, type SignedVersion } from "./fees.ts";
import { ChainHistory } from "./history.ts";
import { fillNonceGap } from "./nonce-gap.ts";
import type { OperatorWallet, TransactionLocation } from "./operator-wallet.ts";
import type { SendOutcome } from "./send-outcome.ts";

/** A nonce counts as used by another transaction after this many polls: a node may be a block behind. */
const FOREIGN_NONCE_POLLS = 3;
/** Transactions that are looked up in one batch of requests. */
const LOOKUP_BATCH = 20;
/** Polls between two reads of the final block. */
const FINALITY_POLLS = 8;

export interface ReconcilerOptions {
  readonly account: PrivateKeyAccount;
  readonly wallet: OperatorWallet;
  readonly store: TransactionStore;
  readonly clock: Clock;
  readonly log: Log;
  /** The number of the latest block that no reorganization can undo. */
  readonly readFinalBlock: () => Promise<number>;
  /** After this time without a block a transaction is sent again with higher fees. */
  readonly stuckMs: number;
}

export interface PollResult {
  /** Transactions that wait for a block. */
  readonly waiting: number;
  /** The fewest blocks on top of a transaction that is not final, null where there is none. */
  readonly youngestDepth: number | null;
}

/** A row as services see it. */
export const toManagedTransaction = ({
  id,
  kind,
  key,
  status,
  txHash,
  block,
  settledAtMs,
}: TransactionRow): ManagedTransaction => ({ id, kind, key, status, txHash, block, isFinal: settledAtMs !== null });

interface Lookup {
  readonly version: SignedVersion | null;
  readonly at: TransactionLocation;
}

/** Reconciles the operator's stored transactions with the chain until their blocks are final. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #history: ChainHistory;
  /** Polls that have found a row's nonce used by another transaction, by the row's id. */
  readonly #foreignNoncePolls = new Map<string, number>();
  /** Monotonic time since which a row waits with its present fees, by the row's id. */
  readonly #waitingSinceMs = new Map<string, number>();
  readonly #counts = { included: 0, failed: 0, refused: 0, bumped: 0, reorganized: 0 };
  #polls = 0;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#history = new ChainHistory(options.wallet);
  }

  get counts(): TransactionCounts {
    return { ...this.#counts };
  }

  /** Sends a row's bytes. A row that the node rejects for now stays queued until the next poll. */
  async broadcast(row: TransactionRow): Promise<TransactionRow> {
    const { wallet, store, clock } = this.#options;
    const outcome = await wallet.send(row.raw);
    if (outcome.kind === "accepted") {
      const change = { status: "sent" as const, sentAtMs: row.sentAtMs ?? clock.nowMs(), lastError: null };
      await store.update(row.id, change);
      return { ...row, ...change };
    }
    const refused = await this.#storeRefusal(row, outcome);
    return outcome.kind === "underpriced" ? await this.#bumpFees(refused) : refused;
  }

  /**
   * Reconciles the watched rows once: those without a block, those whose block is new, all after a reorganization, and
   * `recheckId`.
   */
  async reconcile(recheckId: string | null = null): Promise<PollResult> {
    const { account, wallet, store } = this.#options;
    const rows = await store.listUnsettled(account.address);
    if (rows.length === 0) {
      this.#history.forget();
      return { waiting: 0, youngestDepth: null };
    }
    const { head, isChanged, accept } = await this.#history.compare();
    const finalBlock = await this.#readFinalBlock();
    const isDue = ({ id, block }: TransactionRow): boolean =>
      block === null || isChanged || block > this.#history.lastNumber || block <= finalBlock || id === recheckId;
    const due = rows.filter(isDue);
    if (due.length > 0) {
      const minedCount = await wallet.getMinedCount();
      const first = rows.find((row) => row.nonce >= minedCount);
      for (let from = 0; from < due.length; from += LOOKUP_BATCH) {
        const batch = due.slice(from, from + LOOKUP_BATCH);
        const lookups = await Promise.all(batch.map((row) => this.#locate(row)));
        for (const [index, row] of batch.entries())
          await this.#reconcileRow(row, lookups[index]!, { minedCount, finalBlock, isFirst: row === first });
      }
      if (first !== undefined) await fillNonceGap(this.#options, first.nonce, minedCount);
    }
    accept();
    return this.#summarize(head.number);
  }

  /** -1 where it is not due, or unknown. */
  async #readFinalBlock(): Promise<number> {
    this.#polls += 1;
    if (this.#polls % FINALITY_POLLS !== 1) return -1;
    return await this.#options.readFinalBlock().catch(() => -1);
  }

  async #summarize(headNumber: number): Promise<PollResult> {
    const { account, store } = this.#options;
    const blocks = (await store.listUnsettled(account.address)).map(({ block }) => block);
    const included = blocks.filter((block) => block !== null);
    const youngestDepth = included.length === 0 ? null : headNumber - Math.max(...included);
    return { waiting: blocks.length - included.length, youngestDepth };
  }

  async #reconcileRow(
    row: TransactionRow,
    { version, at }: Lookup,
    chain: { readonly minedCount: number; readonly finalBlock: number; readonly isFirst: boolean },
  ): Promise<void> {
    const { store, clock, log, stuckMs } = this.#options;
    if (at !== null && at !== "known") return await this.#storeLocation(row, version, at, chain.finalBlock);
    let waiting = row;
    if (row.block !== null) {
      log.warn({ transaction: row.id, block: row.block }, "a transaction lost its block; sending it again");
      this.#counts.reorganized += 1;
      const change = { status: "sent" as const, block: null };
      await store.update(row.id, change);
      waiting = { ...row, ...change };
    }
    if (row.nonce < chain.minedCount) return await this.#resubmitWithNewNonce(waiting);
    this.#foreignNoncePolls.delete(row.id);
    const nowMs = clock.monotonicMs();
    const sinceMs = this.#waitingSinceMs.get(row.id) ?? nowMs;
    this.#waitingSinceMs.set(row.id, sinceMs);
    if (at === null) await this.broadcast(waiting);
    else if (chain.isFirst && nowMs - sinceMs >= stuckMs) await this.#bumpFees(waiting);
    else if (waiting.status === "queued") await store.update(row.id, { status: "sent", sentAtMs: clock.nowMs() });
  }

  async #storeLocation(
    row: TransactionRow,
    version: SignedVersion | null,
    { block, ok }: { readonly block: number; readonly ok: boolean },
    finalBlock: number,
  ): Promise<void> {
    const { store, clock } = this.#options;
    this.#foreignNoncePolls.delete(row.id);
    this.#waitingSinceMs.delete(row.id);
    const status = ok ? ("included" as const) : ("failed" as const);
    const isFinal = block <= finalBlock;
    if (row.status === status && row.block === block && !isFinal) return;
    if (row.status !== status) this.#counts[status] += 1;
    const hash = version === null ? {} : { raw: version.raw, txHash: version.txHash };
    const settled = isFinal ? { settledAtMs: clock.nowMs() } : {};
    await store.update(row.id, { status, block, lastError: null, ...hash, ...settled });
  }

  /** The version of a transaction that the chain has, searched from the highest fees down. */
  async #locate(row: TransactionRow): Promise<Lookup> {
    const { account, wallet } = this.#options;
    const at = await wallet.locate(row.txHash);
    if (at !== null && at !== "known") return { version: null, at };
    const versions = (await listSignedVersions(account, row)).filter(({ txHash }) => txHash !== row.txHash);
    for (const version of versions.reverse()) {
      const found = await wallet.locate(version.txHash);
      if (found !== null && found !== "known") return { version, at: found };
    }
    return { version: null, at };
  }

  async #bumpFees(row: TransactionRow): Promise<TransactionRow> {
    const { account, wallet, store, clock } = this.#options;
    const { maxFeePerGas } = await wallet.getFees();
    const version = await createNextVersion(account, row, maxFeePerGas);
    if (version === null) return row;
    const { raw, txHash } = version;
    const change = { raw, txHash, status: "sent" as const, sentAtMs: clock.nowMs() };
    // Stored before it is sent, so that every version on the chain is in the store.
    await store.update(row.id, change);
    this.#waitingSinceMs.set(row.id, clock.monotonicMs());
    this.#counts.bumped += 1;
    const bumped = { ...row, ...change };
    const outcome = await wallet.send(raw);
    return outcome.kind === "accepted" ? bumped : await this.#storeRefusal(bumped, outcome);
  }

  /** Keeps why the node did not accept a transaction; each reason is logged once. */
  async #storeRefusal(row: TransactionRow, { kind, reason }: SendOutcome): Promise<TransactionRow> {
    const { store, log } = this.#options;
    if (row.lastError === reason) return row;
    this.#counts.refused += 1;
    const fields = { transaction: row.id, nonce: row.nonce, outcome: kind, reason };
    log.warn(fields, "the node did not accept a transaction; trying again");
    await store.update(row.id, { lastError: reason });
    return { ...row, lastError: reason };
  }

  /** Another transaction has used the nonce: the call gets a new nonce, or fails when the contract now rejects it. */
  async #resubmitWithNewNonce(row: TransactionRow): Promise<void> {
    const { account, wallet, store, clock, log } = this.#options;
    const polls = (this.#foreignNoncePolls.get(row.id) ?? 0) + 1;
    this.#foreignNoncePolls.set(row.id, polls);
    if (polls < FOREIGN_NONCE_POLLS) return;
    this.#foreignNoncePolls.delete(row.id);
    try {
      const prepared = await wallet.prepare(row);
      const nonce = Math.max(prepared.minedCount, ((await store.getLastNonce(account.address)) ?? -1) + 1);
      const signed = await wallet.sign(row, nonce, prepared);
      log.warn({ transaction: row.id, from: row.nonce, to: nonce }, "a nonce was used by another transaction");
      const change = { ...signed, nonce, status: "queued" as const, block: null, sentAtMs: null, lastError: null };
      await store.update(row.id, change);
      await this.broadcast({ ...row, ...change });
    } catch (error) {
      if (!(error instanceof ArcadeError && error.code === "TX_FAILED")) throw error;
      this.#counts.failed += 1;
      await store.update(row.id, { status: "failed", settledAtMs: clock.nowMs() });
    }
  }
}
