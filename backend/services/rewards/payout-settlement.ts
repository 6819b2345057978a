import type { Address, Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { OperatorBudgetError } from "../../../domain/operator-policy.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { PayoutChange, PayoutRow, PayoutStatus, PayoutStore } from "../../ports/store/chain.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { ChainWriter, ManagedTransaction } from "../../ports/transactions.ts";

interface SettlementPorts {
  readonly store: PayoutStore;
  readonly chain: Pick<ChainReader, "deployment" | "getReceipt">;
  readonly writer: ChainWriter;
  readonly clock: Pick<Clock, "nowMs" | "after">;
  readonly log: Log;
}

const POLL_MS = 1000;

const isClosed = (status: PayoutStatus): status is "included" | "failed" =>
  status === "included" || status === "failed";

/** The call by which the operator pays a wallet. */
function createPayoutCall(chain: Pick<ChainReader, "deployment">, wallet: Address) {
  const { chainId, rewards } = chain.deployment;
  return createCall(chainId, rewards, "payout", [wallet]);
}

/** Submits payouts and keeps their rows in step with their transactions, even if no client polls. */
export class PayoutSettlement {
  readonly #ports: SettlementPorts;
  /** The last failure of each payout that could not be continued, so that it is logged once. */
  readonly #failures = new Map<string, string>();
  /** The UTC day on which the operator's key signs no more calls; sent transactions are still followed. */
  #spentDay = -1;
  #cancelTimer = (): void => undefined;
  #removeListener = (): void => undefined;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(ports: SettlementPorts) {
    this.#ports = ports;
  }

  /** Follows open payouts after each poll of the chain, until `stop`. */
  start(): void {
    this.#removeListener = this.#ports.writer.onPolled(() => void this.settle());
    this.#schedule();
  }

  /** Resolves when no payout is being followed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#removeListener();
    await this.#running;
  }

  /** Updates every payout to its transaction's state. Calls do not overlap. */
  settle(): Promise<void> {
    this.#running ??= this.#settleAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /**
   * Submits an open payout and waits up to `waitMs` for its block; a repeated submission returns the same transaction.
   * Throws `TX_FAILED` when the contract rejects the call; the payout has failed then. Returns a payout unchanged that
   * waits for the operator's next day.
   */
  async execute(row: PayoutRow, waitMs: number): Promise<PayoutRow> {
    const { chain, store, writer, clock } = this.#ports;
    if (row.transactionId === null && this.#isDaySpent()) return row;
    const { to, data } = createPayoutCall(chain, row.wallet);
    try {
      const sent = await writer.submit({ kind: "payout", key: row.payoutId, to, data });
      return await this.sync(row, await writer.waitForTransaction(sent.id, waitMs));
    } catch (error) {
      if (error instanceof OperatorBudgetError) this.#spentDay = this.#readDay();
      if (!(error instanceof ArcadeError && error.code === "TX_FAILED")) throw error;
      if (await store.failUnsent(row.payoutId, clock.nowMs())) throw error;
      // Another backend has just sent it.
      return await this.execute(row, waitMs);
    }
  }

  #readDay(): number {
    return Math.floor(this.#ports.clock.nowMs() / DAY_MS);
  }

  #isDaySpent(): boolean {
    return this.#readDay() === this.#spentDay;
  }

  /** The payout updated from the chain; one without a transaction is returned unchanged. */
  async refresh(row: PayoutRow): Promise<PayoutRow> {
    if (row.transactionId === null) return row;
    return await this.sync(row, await this.#ports.writer.refresh(row.transactionId));
  }

  /** Copies the state of a payout's transaction into its row. Reads both again if another call was faster. */
  async sync(row: PayoutRow, transaction: ManagedTransaction): Promise<PayoutRow> {
    const { store, writer } = this.#ports;
    for (let current = row, found = transaction; ; ) {
      const synced = current.settledAtMs === null ? await this.#trySync(current, found) : current;
      if (synced !== null) return synced;
      current = (await store.find(row.payoutId)) ?? row;
      found = (await writer.find(transaction.id)) ?? transaction;
    }
  }

  /** Null when the row has changed since it was read. */
  async #trySync(row: PayoutRow, { id, txHash, isFinal, ...transaction }: ManagedTransaction) {
    const { store, clock } = this.#ports;
    const found = transaction.status === "queued" ? "pending" : transaction.status;
    let from = row.status;
    if (isClosed(from) && from !== found) {
      if (!(await store.reopen(row.payoutId, from, clock.nowMs()))) return null;
      from = "sent";
    }
    // A transaction that is queued again with another nonce was sent before.
    const status = found === "pending" ? from : found;
    const paid = status === "included" && txHash !== null ? await this.#readPaid(row.wallet, txHash) : {};
    const change = { status, transactionId: id, txHash, ...paid, settledAtMs: isFinal ? clock.nowMs() : null };
    return (await store.advance(row.payoutId, from, change)) ? { ...row, ...change } : null;
  }

  /** The data of the wallet's Payout event in a transaction. */
  async #readPaid(wallet: Address, txHash: Hex): Promise<Pick<PayoutChange, "score" | "amount" | "remaining">> {
    const receipt = await this.#ports.chain.getReceipt(txHash);
    const paid = receipt?.events.find((event) => event.name === "Payout" && event.wallet === wallet);
    return paid?.name === "Payout" ? { score: paid.score, amount: paid.amount, remaining: paid.scorebank } : {};
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancelTimer = this.#ports.clock.after(POLL_MS, () => void this.settle().then(() => this.#schedule()));
  }

  async #settleAll(): Promise<void> {
    const { store, writer, log } = this.#ports;
    try {
      const rows = await store.listUnsynced();
      this.#forgetOthers(rows);
      // safeguard: settle-payouts
      for (const row of rows) {
        if (this.#isStopped) return;
        const transaction = row.transactionId === null ? null : await writer.find(row.transactionId);
        const settled = transaction === null ? this.execute(row, 0) : this.sync(row, transaction);
        await settled.then(
          () => this.#failures.delete(row.payoutId),
          (error: unknown) => this.#logFailure(row, error),
        );
      }
    } catch (error) {
      log.warn({ err: error }, "the open payouts could not be read");
    }
  }

  /**
   * Forgets the failures of payouts that are no longer listed: those that failed for good or that a request continued.
   */
  #forgetOthers(rows: readonly PayoutRow[]): void {
    const listed = new Set(rows.map(({ payoutId }) => payoutId));
    for (const payoutId of this.#failures.keys()) if (!listed.has(payoutId)) this.#failures.delete(payoutId);
  }

  #logFailure({ payoutId, wallet }: PayoutRow, error: unknown): void {
    const code = error instanceof ArcadeError ? error.code : "INTERNAL";
    if (this.#failures.get(payoutId) === code) return;
    this.#failures.set(payoutId, code);
    const isExpected = code === "CHAIN_UNAVAILABLE" || code === "TX_FAILED";
    const fields = { payoutId, wallet, ...(isExpected ? { code } : { err: error }) };
    this.#ports.log.warn(fields, "an open payout could not be continued");
  }
}
