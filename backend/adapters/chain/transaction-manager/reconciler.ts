import type { TransactionOrder, TransactionOrderOutcome } from "../../../../domain/operator-transactions.ts";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import type { ManagedTransaction, TransactionCounts } from "../../../ports/transactions.ts";
import { unlessSignerAway } from "./account.ts";
import { findBlockChange } from "./block-change.ts";
import { Findings, type PollResult } from "./findings.ts";
import { FormerOperators } from "./former-operators.ts";
import { ChainHistory } from "./history.ts";
import { isInBlock, Locator, type Lookup, type MinedLookup } from "./locator.ts";
import { NonceGaps } from "./nonce-gap.ts";
import { Replacements, type ReplacementsOptions } from "./replacements.ts";
import { Resubmission, type ResubmissionOptions } from "./resubmission.ts";

/** Polls between two reads of the final block. */
const FINALITY_POLLS = 4;

export interface ReconcilerOptions extends ReplacementsOptions, ResubmissionOptions {
  /** The number of the latest block that no reorganization can undo. */
  readonly readFinalBlock: () => Promise<number>;
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

interface ChainState {
  /** The lowest nonce that is in no block. */
  readonly minedCount: number;
  /** The waiting transaction with nonce `minedCount`; null if there is none. */
  readonly firstId: string | null;
}

/** Reconciles the operator's stored transactions with the chain until their blocks are final. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #history: ChainHistory;
  readonly #locator: Locator;
  readonly #gaps: NonceGaps;
  readonly #resubmission: Resubmission;
  readonly #former: FormerOperators;
  readonly #replacements: Replacements;
  readonly #counts = { included: 0, failed: 0, reorganized: 0 };
  #polls = 0;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#history = new ChainHistory(options.wallet);
    this.#locator = new Locator(options);
    this.#gaps = new NonceGaps(options);
    this.#replacements = new Replacements(options);
    this.#resubmission = new Resubmission(options);
    this.#former = new FormerOperators({ ...options, resubmission: this.#resubmission });
  }

  get counts(): Omit<TransactionCounts, "againstPolicy"> {
    const [one, other] = [this.#counts, this.#former.counts];
    const included = one.included + other.included;
    const failed = one.failed + other.failed + this.#resubmission.rejected;
    const reorganized = one.reorganized + other.reorganized;
    return { included, failed, reorganized, ...this.#replacements.counts, refused: this.#options.sender.refused };
  }

  /**
   * Reconciles the rows of this operator, then those left by other operators: with `isFull` also those in blocks, which
   * are usually checked only from time to time. Calls must not overlap.
   */
  async reconcile({ isFull = false } = {}): Promise<PollResult> {
    const own = await this.#reconcileOwn();
    const left = await this.#former.reconcile(isFull);
    const depths = [own, left].flatMap(({ youngestDepth }) => (youngestDepth === null ? [] : [youngestDepth]));
    return {
      waiting: own.waiting + left.waiting,
      youngestDepth: depths.length === 0 ? null : Math.min(...depths),
    };
  }

  /** Reconciles the watched rows once: those without a block, those whose block is new, all after a reorganization. */
  async #reconcileOwn(): Promise<PollResult> {
    const { account, wallet, store, clock } = this.#options;
    const before = await store.summarizeUnsettled(account.address);
    if (before.waiting === 0 && before.newestBlock === null) {
      this.#history.forget();
      return { waiting: 0, youngestDepth: null };
    }
    const lastNumber = this.#history.lastNumber;
    // Read before the rows are listed, so that a row that is not listed is not in one of these blocks either.
    const { head, isChanged, isConfirmed, accept } = await this.#history.compare();
    this.#replacements.headNumber = head.number;
    const rows = isChanged
      ? await store.listUnsettled(account.address)
      : await store.listUnconfirmed(account.address, lastNumber);
    let isKnown = true;
    if (rows.length > 0) {
      const minedCount = await wallet.getMinedCount();
      const newBlocks = isChanged ? null : { from: lastNumber + 1, to: head.number };
      const lookups = await this.#locator.locate(rows, newBlocks, minedCount);
      const first = rows.find((row) => row.nonce >= minedCount && !isInBlock(lookups.get(row.id)!));
      // Behind a nonce gap, higher fees do not help.
      const firstId = first?.nonce === minedCount ? first.id : null;
      await this.#reconcileRows(rows, lookups, { minedCount, firstId });
      // safeguard: fill-nonce-gap
      if (first !== undefined && !(await this.#areNoncesInBlocks(minedCount, first.nonce)))
        await unlessSignerAway(first, this.#options.log, () => this.#gaps.fill(first.nonce, minedCount, head.number));
      isKnown = rows.every(({ id, block }) => block === null || lookups.get(id)!.at !== "unknown");
    }
    // If the signer was unavailable, check rows that may have lost their blocks again later; nothing becomes final
    // before.
    if (isKnown) accept();
    const finalBlock = await this.#readFinalBlock();
    // Every watched row was checked since the blocks last changed, so the stored blocks are the chain's.
    if (isKnown && finalBlock >= 0 && (isChanged || isConfirmed))
      // safeguard: settle-in-final-block
      await store.settle(account.address, Math.min(finalBlock, head.number), clock.nowMs());
    const { waiting, newestBlock } = await store.summarizeUnsettled(account.address);
    return { waiting, youngestDepth: newestBlock === null ? null : head.number - newestBlock };
  }

  /**
   * Whether the store has transactions with nonces from `from` up to but excluding `end` in blocks. These do not count
   * as a gap: blocks were replaced after they were compared, or a node lags, and the next poll compares them again.
   */
  async #areNoncesInBlocks(from: number, end: number): Promise<boolean> {
    if (end <= from) return false;
    const rows = await this.#options.store.listUnsettled(this.#options.account.address);
    return rows.some(({ nonce, block }) => block !== null && nonce >= from && nonce < end);
  }

  /** -1 if it is not due or unknown. */
  async #readFinalBlock(): Promise<number> {
    this.#polls += 1;
    if (this.#polls % FINALITY_POLLS !== 1) return -1;
    return await this.#options.readFinalBlock().catch(() => -1);
  }

  async #reconcileRows(
    rows: readonly TransactionRow[],
    lookups: ReadonlyMap<string, Lookup>,
    chain: ChainState,
  ): Promise<void> {
    const { store, sender } = this.#options;
    const findings = new Findings();
    for (const row of rows)
      await unlessSignerAway(row, this.#options.log, () =>
        this.#reconcileRow(row, lookups.get(row.id)!, chain, findings),
      );
    let underpriced: readonly TransactionRow[] = [];
    try {
      // Resend first: a result that is lost in a crash will be found again.
      underpriced = (await sender.send(findings.toSend)).underpriced;
    } finally {
      await findings.store(store);
    }
    for (const row of underpriced)
      await unlessSignerAway(row, this.#options.log, () => this.#replacements.bumpFees(row));
  }

  async #reconcileRow(
    row: TransactionRow,
    lookup: Lookup,
    { minedCount, firstId }: ChainState,
    findings: Findings,
  ): Promise<void> {
    const { clock, log } = this.#options;
    const { at } = lookup;
    if (at === "unknown") return;
    if (isInBlock(lookup)) return await this.#recordBlock(row, lookup, findings);
    let waiting = row;
    if (row.block !== null) {
      log.warn({ transaction: row.id, block: row.block }, "a transaction lost its block; sending it again");
      this.#counts.reorganized += 1;
      const change = { status: "sent" as const, block: null };
      // safeguard: note-lost-block
      findings.change(row.id, change);
      waiting = { ...row, ...change };
    }
    if (row.nonce < minedCount) {
      // Store the loss of the block before a new nonce.
      await findings.store(this.#options.store);
      // safeguard: replace-used-nonce
      const used = await this.#resubmission.onNonceUsed(waiting, this.#replacements.headNumber);
      if (isInBlock(used)) await this.#recordBlock(waiting, used, findings);
      return;
    }
    this.#resubmission.forget(row.id);
    // safeguard: raise-fees
    const isStuck = this.#replacements.isStuck(row);
    // safeguard: send-lost-transaction-again
    if (at === null) findings.send(waiting);
    else if (row.id === firstId && isStuck) await this.#replacements.bumpFees(waiting);
    else if (waiting.status === "queued") findings.change(row.id, { status: "sent", sentAtMs: clock.nowMs() });
  }

  async #recordBlock(row: TransactionRow, lookup: MinedLookup, findings: Findings): Promise<void> {
    this.#resubmission.forget(row.id);
    this.#replacements.forget(row.id);
    const change = await findBlockChange(this.#options.wallet, row, lookup);
    if (change === null) return;
    if (row.status !== change.status) this.#counts[change.status] += 1;
    findings.change(row.id, change);
  }

  /** Executes the operator's order for a transaction. Calls must not overlap with `reconcile`. */
  async order(id: string, order: TransactionOrder, orderId: string | null): Promise<TransactionOrderOutcome> {
    const row = await this.#options.store.find(id);
    if (row === null || row.from !== this.#options.account.address) return "unknown";
    if (row.block !== null || row.settledAtMs !== null) return "not_waiting";
    if (order === "bump") return (await this.#replacements.bumpFees(row, orderId)) ? "bumped" : "fee_cap";
    if (row.cancelledRaw !== null) return "cancelled";
    return (await this.#replacements.cancel(row, orderId)) ? "cancelled" : "fee_cap";
  }
}
