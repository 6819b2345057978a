import { FEE_ABOVE_CAP, FEE_RAISES_SPENT } from "../../../../domain/operator-transactions.ts";
import type { TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import { LimitedQueue } from "../../node/limited-queue.ts";
import type { BatchSize } from "./batch-size.ts";
import type { OperatorWallet } from "./operator-wallet.ts";
import type { SendOutcome } from "./send-outcome.ts";

interface SenderOptions {
  readonly wallet: OperatorWallet;
  readonly store: TransactionStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly batchSize: BatchSize;
}

export interface SendResult {
  /** Ids of the transactions that the node has. */
  readonly accepted: ReadonlySet<string>;
  /** Their fees are too low for the node. */
  readonly underpriced: readonly TransactionRow[];
}

/**
 * Requests under way at the same time, so that the next one does not wait for a round trip to the node. If the
 * second arrives first, the node keeps its one batch above the missing nonces, and no more.
 */
const REQUESTS_MAX = 2;

/** Sends stored transactions in batches, in the order of their nonces. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #requests = new LimitedQueue(REQUESTS_MAX);
  #refused = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Rejections by the node, for each new reason. */
  get refused(): number {
    return this.#refused;
  }

  /** `rows` in nonce order. What the node rejects stays queued. Throws `CHAIN_UNAVAILABLE` when it does not answer. */
  async send(rows: readonly TransactionRow[]): Promise<SendResult> {
    const accepted = new Set<string>();
    const underpriced: TransactionRow[] = [];
    const stored: Promise<void>[] = [];
    /** The next batch does not wait for the disk. A failure is thrown at the end, not left unhandled until then. */
    const storeMeanwhile = (write: Promise<void>): void => {
      write.catch(() => undefined);
      stored.push(write);
    };
    try {
      for (let from = 0; from < rows.length; ) {
        const batch = rows.slice(from, from + this.#options.batchSize.current);
        const outcomes = await this.#requests.run(() => this.#sendBatch(batch));
        if (outcomes === null) continue;
        from += batch.length;
        for (const [index, row] of batch.entries()) {
          const outcome = outcomes[index]!;
          if (outcome.kind === "accepted") accepted.add(row.id);
          else storeMeanwhile(this.storeRefusal(row, outcome));
          if (outcome.kind === "underpriced") underpriced.push(row);
        }
        const ids = batch.flatMap(({ id }) => (accepted.has(id) ? [id] : []));
        storeMeanwhile(this.#options.store.markSent(ids, this.#options.clock.nowMs()));
      }
    } finally {
      await Promise.all(stored);
    }
    return { accepted, underpriced };
  }

  /** Keeps why the node did not accept a transaction; each reason is logged once. */
  async storeRefusal(row: TransactionRow, { kind, reason }: SendOutcome): Promise<void> {
    const { store, log } = this.#options;
    const isFeeLimited = row.lastError === FEE_ABOVE_CAP || row.lastError === FEE_RAISES_SPENT;
    if (row.lastError === reason || (kind === "underpriced" && isFeeLimited)) return;
    this.#refused += 1;
    const fields = { transaction: row.id, nonce: row.nonce, outcome: kind, reason };
    log.warn(fields, "the node did not accept a transaction; trying again");
    await store.update(row.id, { lastError: reason });
  }

  /** Null when the batch has to be sent in smaller ones. */
  async #sendBatch(batch: readonly TransactionRow[]): Promise<readonly SendOutcome[] | null> {
    const { wallet, batchSize } = this.#options;
    try {
      const outcomes = await wallet.send(batch.map(({ raw }) => raw));
      batchSize.onAccepted();
      return outcomes;
    } catch (error) {
      if (batchSize.onFailed(batch.length)) return null;
      throw error;
    }
  }
}
