import type { Clock, Log } from "../../../ports/system.ts";
import type { OperatorAccount } from "./account.ts";
import { capFees, FEE_BUMPS_MAX, type Fees, raiseFees, TRANSFER_GAS } from "./fees.ts";
import type { OperatorWallet } from "./operator-wallet.ts";
import type { SendOutcome } from "./send-outcome.ts";

/** The maximum number of missing nonces that one poll fills. */
const GAP_FILL_MAX = 100;

interface NonceGapOptions {
  readonly account: OperatorAccount;
  readonly wallet: OperatorWallet;
  readonly clock: Clock;
  readonly log: Log;
  /** After this time and at least one new block, an empty transfer is sent again with higher fees. */
  readonly stuckMs: number;
  /** The highest fee per gas that the operator pays, in wei; null: no limit. */
  readonly feeCap: bigint | null;
}

interface Gap {
  readonly firstNonce: number;
  /** Monotonic time since which the gap's first nonce has waited with its current fees. */
  readonly sinceMs: number;
  /** The number of the latest block at that time. */
  readonly headNumber: number;
  /** The fees that the node accepted last; null if none since the start. */
  readonly fees: Fees | null;
  /** How often the fees were raised. */
  readonly raises: number;
}

const isAbove = (one: Fees, other: Fees): boolean => one.maxFeePerGas > other.maxFeePerGas;

/** Unused nonces below the first waiting transaction would delay it forever: empty transfers use them. */
export class NonceGaps {
  readonly #options: NonceGapOptions;
  #gap: Gap | null = null;

  constructor(options: NonceGapOptions) {
    this.#options = options;
  }

  /**
   * `firstOpen`: the nonce of the first waiting transaction; `minedCount`: the lowest nonce that no block has used;
   * `headNumber`: the latest block.
   */
  async fill(firstOpen: number, minedCount: number, headNumber: number): Promise<void> {
    const { wallet, clock, log } = this.#options;
    if (firstOpen <= minedCount) {
      this.#gap = null;
      return;
    }
    const start = { headNumber, sinceMs: clock.monotonicMs() };
    if (this.#gap?.firstNonce !== minedCount) this.#gap = { firstNonce: minedCount, ...start, fees: null, raises: 0 };
    const gap = this.#gap;
    const isPending = (await wallet.getPendingCount()) > minedCount;
    // safeguard: raise-fees-of-gap
    if (isPending && !this.#isStuck(gap, headNumber)) return;
    if (isPending && gap.raises >= FEE_BUMPS_MAX) return this.#reportRaisesSpent(gap);
    const before = isPending ? gap.fees : null;
    const fees = await this.#chooseFees(before);
    const last = Math.min(firstOpen, minedCount + GAP_FILL_MAX);
    log.warn({ from: minedCount, to: last - 1, isPending }, "filling a gap in the operator's nonces");
    const outcome = await this.#send(minedCount, last, fees);
    // The node kept the old transaction: the next attempt must not pay more for it.
    if (outcome === "refused") this.#gap = { ...gap, ...start };
    else this.#gap = { firstNonce: minedCount, ...start, fees, raises: before === null ? 0 : gap.raises + 1 };
  }

  /** Without a new block a higher fee does not help. */
  #isStuck({ sinceMs, headNumber }: Gap, newHeadNumber: number): boolean {
    const { clock, stuckMs } = this.#options;
    return clock.monotonicMs() - sinceMs >= stuckMs && newHeadNumber !== headNumber;
  }

  /** Logs once that the fees of a gap have reached the maximum number of raises. */
  #reportRaisesSpent(gap: Gap): void {
    if (gap.raises > FEE_BUMPS_MAX) return;
    const message = `a gap in the operator's nonces stays: fees were raised ${FEE_BUMPS_MAX} times and stay`;
    this.#options.log.error({ nonce: gap.firstNonce }, message);
    this.#gap = { ...gap, raises: gap.raises + 1 };
  }

  /** The network's current fees, or raised ones if those are higher and a transfer has waited too long. */
  async #chooseFees(before: Fees | null): Promise<Fees> {
    const { wallet, feeCap } = this.#options;
    const fees = await wallet.getFees();
    if (before === null) return fees;
    const raised = capFees(raiseFees(before), feeCap);
    return isAbove(raised, fees) ? raised : fees;
  }

  /**
   * Sends empty transfers with the nonces from `first` up to but excluding `end`. Returns the node's outcome for the
   * first.
   */
  async #send(first: number, end: number, fees: Fees): Promise<SendOutcome["kind"]> {
    const { account, wallet } = this.#options;
    const empty = { to: account.address, data: "0x" as const, value: 0n };
    const outcomes: SendOutcome[] = [];
    for (let nonce = first; nonce < end; nonce++) {
      const { raw } = await wallet.sign(empty, nonce, { ...fees, gas: TRANSFER_GAS });
      outcomes.push(...(await wallet.send([raw])));
    }
    return outcomes[0]!.kind;
  }
}
