/** The operator's transactions: lists them, and orders the running service to bump or cancel a waiting one. */
import type { Hex } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import {
  type TransactionOrder,
  type TransactionOrderOutcome,
  toTransactionState,
} from "../../../../domain/operator-transactions.ts";
import type { BlockFinality } from "../../../../domain/session.ts";
import { toIso, toIsoOrNull } from "../../../../domain/time.ts";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import type { Operator } from "../operator.ts";

const toView = (row: TransactionRow, finality: BlockFinality) => ({
  transactionId: row.id,
  state: toTransactionState(row, finality),
  kind: row.kind,
  key: row.key,
  status: row.status,
  from: row.from,
  to: row.to,
  selector: row.data.slice(0, 10) as Hex,
  value: row.value.toString(),
  nonce: row.nonce,
  txHash: row.txHash,
  block: row.block,
  maxFeePerGas: row.maxFeePerGas.toString(),
  createdAt: toIso(row.createdAtMs),
  sentAt: toIsoOrNull(row.sentAtMs),
  settledAt: toIsoOrNull(row.settledAtMs),
  /** The node's last one, or the contract's revert. */
  lastError: row.lastError,
});

/** Newest first. */
export async function listTransactions({ store, readFinality }: Operator, { limit }: { readonly limit: number }) {
  const [rows, finality] = await Promise.all([store.operator.listTransactions(limit), readFinality()]);
  return { transactions: rows.map((row) => toView(row, finality)) };
}

/** Throws `NOT_FOUND`. */
export async function findTransaction({ store, readFinality }: Operator, id: string) {
  const row = await store.transactions.find(id);
  if (row === null) throw new ArcadeError("NOT_FOUND", `There is no transaction ${id}.`);
  const isWaiting = row.block === null && row.settledAtMs === null && row.status !== "failed";
  return { view: toView(row, await readFinality()), row, isWaiting };
}

interface OrderView {
  readonly transactionId: string;
  readonly action: TransactionOrder;
  /** Null: there is no order, because nothing waits. */
  readonly orderId: string | null;
  /** Null until a server has carried it out. */
  readonly outcome: TransactionOrderOutcome | null;
}

interface OrderRequest {
  readonly transactionId: string;
  readonly action: TransactionOrder;
}

/** Audit: `tx.bump`, `tx.cancel`. Throws `NOT_FOUND`. */
export async function orderTransaction(operator: Operator, request: OrderRequest): Promise<OrderView> {
  const { transactionId, action } = request;
  const { isWaiting } = await findTransaction(operator, transactionId);
  if (!isWaiting) return { ...request, orderId: null, outcome: "not_waiting" };
  const stamp = operator.createStamp();
  await operator.store.operator.orderTransaction(transactionId, action, stamp);
  return { ...request, orderId: stamp.auditId, outcome: null };
}

/** Throws `NOT_FOUND`. */
export async function findTransactionOrder({ store }: Operator, orderId: string): Promise<OrderView> {
  const order = await store.operator.findTransactionOrder(orderId);
  if (order === null) throw new ArcadeError("NOT_FOUND", `There is no order ${orderId}.`);
  const { transactionId, action, outcome } = order;
  return { transactionId, action, orderId, outcome };
}
