/** The states of the operator's transactions. */
import type { BlockFinality } from "./session.ts";
import { toFinality } from "./session.ts";

/** Stored as a transaction's last error: the network asks for more than the operator's fee cap. */
export const FEE_ABOVE_CAP = "FEE_ABOVE_CAP";
/** Stored as a transaction's last error: its fees were raised as often as the service raises fees. */
export const FEE_RAISES_SPENT = "FEE_RAISES_SPENT";
/** Stored as a transaction's last error: an empty transfer has used its nonce, as the operator wanted. */
export const REPLACED = "REPLACED";

/** Stored as a transaction's last error: another operator had signed the call, which the current one's policy does not name. */
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

/** What became of an order of the operator: `not_waiting`: a block has the transaction; `fee_cap`: no fee is left to raise. */
export const TRANSACTION_ORDER_OUTCOMES = ["bumped", "cancelled", "not_waiting", "fee_cap", "unknown"] as const;
export type TransactionOrderOutcome = (typeof TRANSACTION_ORDER_OUTCOMES)[number];
