import type { Clock, Log } from "../../../ports/system.ts";
import type { OperatorAccount } from "./account.ts";
import { capFees, type Fees, raiseFees, TRANSFER_GAS } from "./fees.ts";
import type { OperatorWallet } from "./operator-wallet.ts";

/** The most missing nonces that one poll fills. */
const GAP_FILL_MAX = 100;

interface NonceGapOptions {
  readonly account: OperatorAccount;
  readonly wallet: OperatorWallet;
  readonly clock: Clock;
  readonly log: Log;
  /** After this time without a block an empty transfer is sent again with higher fees. */
  readonly stuckMs: number;
  /** The most wei per gas that the operator pays; null: no bound. */
  readonly feeCap: bigint | null;
}

interface Gap {
  readonly firstNonce: number;
  /** Monotonic time since which its first nonce waits with its present fees. */
  readonly sinceMs: number;
  /** What was sent last; null where nothing was since the start. */
  readonly fees: Fees | null;
}

const isAbove = (one: Fees, other: Fees): boolean => one.maxFeePerGas > other.maxFeePerGas;

/** Unused nonces below the first waiting transaction would delay it for ever: empty transfers use them. */
export class NonceGaps {
  readonly #options: NonceGapOptions;
  #gap: Gap | null = null;

  constructor(options: NonceGapOptions) {
    this.#options = options;
  }

  /** `firstOpen`: the nonce of the first waiting transaction; `minedCount`: the lowest nonce that no block has used. */
  async fill(firstOpen: number, minedCount: number): Promise<void> {
    const { wallet, clock, log, stuckMs } = this.#options;
    if (firstOpen <= minedCount) {
      this.#gap = null;
      return;
    }
    if (this.#gap?.firstNonce !== minedCount)
      this.#gap = { firstNonce: minedCount, sinceMs: clock.monotonicMs(), fees: null };
    const { sinceMs } = this.#gap;
    const isPending = (await wallet.getPendingCount()) > minedCount;
    if (isPending && clock.monotonicMs() - sinceMs < stuckMs) return;
    const fees = await this.#chooseFees(isPending ? this.#gap.fees : null);
    this.#gap = { firstNonce: minedCount, sinceMs: clock.monotonicMs(), fees };
    const last = Math.min(firstOpen, minedCount + GAP_FILL_MAX);
    log.warn({ from: minedCount, to: last - 1, isPending }, "filling a gap in the operator's nonces");
    await this.#send(minedCount, last, fees);
  }

  /** What the network asks for now, and more than what has waited too long. */
  async #chooseFees(before: Fees | null): Promise<Fees> {
    const { wallet, feeCap } = this.#options;
    const fees = await wallet.getFees();
    if (before === null) return fees;
    const raised = capFees(raiseFees(before), feeCap);
    return isAbove(raised, fees) ? raised : fees;
  }

  /** Sends empty transfers with the nonces from `first` up to and without `end`. */
  async #send(first: number, end: number, fees: Fees): Promise<void> {
    const { account, wallet } = this.#options;
    const empty = { to: account.address, data: "0x" as const };
    for (let nonce = first; nonce < end; nonce++) {
      const { raw } = await wallet.sign(empty, nonce, { ...fees, gas: TRANSFER_GAS });
      await wallet.send([raw]);
    }
  }
}
