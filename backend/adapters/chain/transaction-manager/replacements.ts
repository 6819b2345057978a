import { ArcadeError } from "../../../../domain/errors.ts";
import { FEE_ABOVE_CAP, FEE_RAISES_SPENT } from "../../../../domain/operator-transactions.ts";
import type {
  CarriedOutOrder,
  TransactionChange,
  TransactionRow,
  TransactionStore,
} from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import type { OperatorAccount } from "./account.ts";
import { createCancellation, createNextVersion, FEE_BUMPS_MAX, isRaisedToTheMost, type SignedVersion } from "./fees.ts";
import type { OperatorWallet } from "./operator-wallet.ts";
import type { Sender } from "./sender.ts";

export interface ReplacementsOptions {
  readonly account: OperatorAccount;
  readonly wallet: OperatorWallet;
  readonly store: TransactionStore;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly log: Log;
  /** After this time and at least one new block, a transaction is sent again with higher fees. */
  readonly stuckMs: number;
  /** The highest fee per gas that the operator pays, in wei; null: no limit. */
  readonly feeCap: bigint | null;
}

interface Waiting {
  readonly nonce: number;
  /** Monotonic. */
  readonly sinceMs: number;
  /** The number of the latest block at that time. */
  readonly headNumber: number;
}

type Order = Omit<CarriedOutOrder, "atMs">;

const toOrder = (orderId: string | null, outcome: Order["outcome"]): Order | null =>
  orderId === null ? null : { orderId, outcome };

/** Replaces waiting transactions: by the same call with higher fees, or by the empty transfer that cancels it. */
export class Replacements {
  /** The number of the latest block. */
  headNumber = -1;
  readonly #options: ReplacementsOptions;
  /** Since when rows have waited with their current nonce and fees, by row id. */
  readonly #waitingSince = new Map<string, Waiting>();
  readonly #counts = { bumped: 0, aboveFeeCap: 0 };

  constructor(options: ReplacementsOptions) {
    this.#options = options;
  }

  get counts(): { readonly bumped: number; readonly aboveFeeCap: number } {
    return this.#counts;
  }

  /** Whether a row has waited too long with its nonce and fees; the time starts with the first call for them. */
  isStuck(row: TransactionRow): boolean {
    const { clock, stuckMs } = this.#options;
    const known = this.#waitingSince.get(row.id);
    const since = known?.nonce === row.nonce ? known : this.#startWaiting(row);
    // Without a new block a higher fee does not help.
    return clock.monotonicMs() - since.sinceMs >= stuckMs && this.headNumber !== since.headNumber;
  }

  /** For a row that no longer waits. */
  forget(id: string): void {
    this.#waitingSince.delete(id);
  }

  /** False if no further raise is allowed. `orderId`: the operator's order that this completes. */
  async bumpFees(row: TransactionRow, orderId: string | null = null): Promise<boolean> {
    const { account } = this.#options;
    const version = await createNextVersion(account, row, await this.#readFeeLimits());
    if (version !== null) {
      this.#counts.bumped += 1;
      await this.#sendVersion(row, version, toOrder(orderId, "bumped"));
      return true;
    }
    await this.#reportFeeLimit(row);
    return false;
  }

  /** False if the fees of a cancellation are above the cap. */
  async cancel(row: TransactionRow, orderId: string | null): Promise<boolean> {
    const cancellation = await createCancellation(this.#options.account, row, await this.#readFeeLimits());
    if (cancellation === null) return false;
    await this.#sendVersion(row, cancellation, toOrder(orderId, "cancelled"), { cancelledRaw: row.raw });
    return true;
  }

  /** Logs once why the fees of a waiting transaction are not raised. */
  async #reportFeeLimit(row: TransactionRow): Promise<void> {
    const { store, log } = this.#options;
    const fields = { transaction: row.id, nonce: row.nonce };
    const reason = isRaisedToTheMost(row) ? FEE_RAISES_SPENT : FEE_ABOVE_CAP;
    if (row.lastError === reason) return;
    if (reason === FEE_RAISES_SPENT)
      log.error(fields, `a transaction waits: its fees were raised ${FEE_BUMPS_MAX} times and stay`);
    else {
      this.#counts.aboveFeeCap += 1;
      log.error(fields, "a transaction waits: the network's fee is above the fee cap");
    }
    await store.update(row.id, { lastError: reason });
  }

  async #readFeeLimits() {
    const { wallet, feeCap } = this.#options;
    return { minFeePerGas: (await wallet.getFees()).maxFeePerGas, feeCap };
  }

  /** Stores a version before it is sent, so that every version on the chain is in the store. */
  async #sendVersion(
    row: TransactionRow,
    { raw, txHash }: SignedVersion,
    order: Order | null,
    more: TransactionChange = {},
  ): Promise<void> {
    const { store, sender, clock, log } = this.#options;
    const atMs = clock.nowMs();
    const change = { raw, txHash, status: "sent" as const, sentAtMs: atMs, ...more };
    // Stored with the order's completion: after a crash the order must not be executed again.
    if (!(await store.replace(row, change, order === null ? null : { ...order, atMs }))) return;
    this.#startWaiting(row);
    await sender.send([{ ...row, ...change }]).catch((error: unknown) => {
      // The row is stored: the next poll sends it if no node has it.
      if (!(error instanceof ArcadeError)) throw error;
      log.debug({ err: error, transaction: row.id }, "a replacement could not be sent yet");
    });
  }

  #startWaiting({ id, nonce }: TransactionRow): Waiting {
    const since = { nonce, sinceMs: this.#options.clock.monotonicMs(), headNumber: this.headNumber };
    this.#waitingSince.set(id, since);
    return since;
  }
}
