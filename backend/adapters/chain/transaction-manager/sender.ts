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
  /** Ids of the accepted transactions. */
  readonly accepted: ReadonlySet<string>;
  /** Transactions whose fees are too low for the node. */
  readonly underpriced: readonly TransactionRow[];
}

/**
 * The number of requests in flight, so that the next one does not wait for a round trip to the node. If the second
 * arrives first, the node has to keep only that one batch above the missing nonces.
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

  /** Counts the node's rejections, once for each new reason. */
  get refused(): number {
    return this.#refused;
  }

  /** `rows` in nonce order. Rejected ones stay queued. Throws `CHAIN_UNAVAILABLE` if the node does not respond. */
  async send(rows: readonly TransactionRow[]): Promise<SendResult> {
    const accepted = new Set<string>();
    const underpriced: TransactionRow[] = [];
    const stored: Promise<void>[] = [];
    /** The next batch does not wait for the disk. A failed write is thrown at the end, but handled at once. */
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

  /** Stores why the node did not accept a transaction; logs each reason once. */
  async storeRefusal(row: TransactionRow, { kind, reason }: SendOutcome): Promise<void> {
    const { store, log } = this.#options;
    const isFeeLimited = row.lastError === FEE_ABOVE_CAP || row.lastError === FEE_RAISES_SPENT;
    if (row.lastError === reason || (kind === "underpriced" && isFeeLimited)) return;
    if (!(await store.noteRefusal(row.id, reason))) return;
    this.#refused += 1;
    const fields = { transaction: row.id, nonce: row.nonce, outcome: kind, reason };
    log.warn(fields, "the node did not accept a transaction; trying again");
  }

  /** Null if the batch has to be sent in smaller ones. */
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
