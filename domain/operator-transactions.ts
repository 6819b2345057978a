/** The states of the operator's transactions. */
import type { BlockFinality } from "./session.ts";
import { toFinality } from "./session.ts";

/** A transaction's last error: the network's fees exceed the operator's fee cap. */
export const FEE_ABOVE_CAP = "FEE_ABOVE_CAP";
/** A transaction's last error: its fees were raised as often as allowed. */
export const FEE_RAISES_SPENT = "FEE_RAISES_SPENT";
/** A transaction's last error: an empty transfer has used its nonce, by the operator's order. */
export const REPLACED = "REPLACED";

/** A transaction's last error: a former operator signed the call, which the current one's policy does not allow. */
export const AGAINST_POLICY = "AGAINST_POLICY";

export const TRANSACTION_STATES = [
  "queued",
  "above_fee_cap",
  "sent",
  "included",
  "safe",
  "final",
  "replaced",
  "failed",
] as const;
export type TransactionState = (typeof TRANSACTION_STATES)[number];

interface StoredState {
  readonly status: "queued" | "sent" | "included" | "failed";
  readonly block: number | null;
  readonly settledAtMs: number | null;
  readonly lastError: string | null;
}

export function toTransactionState(
  { status, block, settledAtMs, lastError }: StoredState,
  finality: BlockFinality,
): TransactionState {
  if (status === "failed") return lastError === REPLACED ? "replaced" : "failed";
  if (block === null && lastError === FEE_ABOVE_CAP) return "above_fee_cap";
  if (block === null) return status === "queued" ? "queued" : "sent";
  return settledAtMs === null ? toFinality(block, finality) : "final";
}

export const TRANSACTION_ORDERS = ["bump", "cancel"] as const;
export type TransactionOrder = (typeof TRANSACTION_ORDERS)[number];

/**
 * The result of an operator's order. `not_waiting`: a block has the transaction; `fee_cap`: the fees cannot be raised
 * further.
 */
export const TRANSACTION_ORDER_OUTCOMES = ["bumped", "cancelled", "not_waiting", "fee_cap", "unknown"] as const;
export type TransactionOrderOutcome = (typeof TRANSACTION_ORDER_OUTCOMES)[number];

/** Transactions of payouts that another backend has failed; none of them was stored. */
export class PayoutsFailedError extends Error {
  readonly payoutIds: ReadonlySet<string>;

  constructor(payoutIds: ReadonlySet<string>) {
    super(`payouts that have failed: ${payoutIds.size}`);
    this.name = "PayoutsFailedError";
    this.payoutIds = payoutIds;
  }
}
