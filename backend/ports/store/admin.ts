/** Store of the admin commands: the audit log, and requests to a running server. */
import type { Hex } from "viem";
import type { TransactionOrder, TransactionOrderOutcome } from "../../../domain/operator-transactions.ts";
import type { TransactionRow } from "./chain.ts";
import type { SessionRow } from "./sessions.ts";

/** Who runs an admin command, and when. Every change writes one audit row in the same transaction. */
export interface AuditStamp {
  /** UUIDv7: the rows' order. */
  readonly auditId: string;
  readonly who: string;
  readonly atMs: number;
}

export interface AuditRow extends AuditStamp {
  /** `area.verb`. */
  readonly action: string;
  /** The changed object: a slug, a session's id, a cycle. */
  readonly subject: string;
  /** JSON of the row before and after; null if there was none or is none. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface AdminCommandRow {
  readonly sessionId: string;
  readonly who: string;
  readonly requestedAtMs: number;
  /** When a server has run the command; null before. */
  readonly doneAtMs: number | null;
}

/** A payload that was signed, without the signature. */
export interface SigningRow {
  readonly kind: string;
  readonly key: string;
  readonly payloadHash: Hex;
  readonly createdAtMs: number;
}

/** A transaction that the running service is to bump or cancel. */
export interface TransactionOrderRow {
  /** UUIDv7: the rows' order. */
  readonly orderId: string;
  readonly transactionId: string;
  readonly action: TransactionOrder;
  readonly who: string;
  readonly requestedAtMs: number;
  /** When a server has carried it out, and how; null before. */
  readonly doneAtMs: number | null;
  readonly outcome: TransactionOrderOutcome | null;
}

export interface OperatorStore {
  /** Records an order for a transaction, with its audit row. */
  orderTransaction(transactionId: string, action: TransactionOrder, stamp: AuditStamp): Promise<void>;
  findTransactionOrder(orderId: string): Promise<TransactionOrderRow | null>;
  /** Orders that no server has carried out yet, oldest first. */
  listOpenTransactionOrders(): Promise<readonly TransactionOrderRow[]>;
  completeTransactionOrder(orderId: string, outcome: TransactionOrderOutcome, atMs: number): Promise<void>;
  /** What was signed last, newest first. */
  listSignings(limit: number): Promise<readonly SigningRow[]>;
  /** Transactions of every operator, newest first. */
  listTransactions(limit: number): Promise<readonly TransactionRow[]>;
  /** Sessions whose score is withheld, newest first. */
  listWithheld(limit: number): Promise<readonly SessionRow[]>;
  /** Newest first; `subject` null: about anything; without `action`: of every kind. */
  listAudit(query: {
    readonly subject: string | null;
    readonly action?: string;
    readonly limit: number;
  }): Promise<readonly AuditRow[]>;
  /** Records a change that another method made, or that is not stored in a table. */
  addAuditRow(row: AuditRow): Promise<void>;
  /**
   * Excludes an ended session's score from signing, ranking and counting, permanently. `on_chain`: its snapshot is on
   * chain already; `unchanged`: it is withheld already.
   */
  withholdScore(
    sessionId: string,
    reason: string,
    stamp: AuditStamp,
  ): Promise<"withheld" | "unchanged" | "unknown" | "not_ended" | "practice" | "on_chain">;
  /** Gives an ended session's score up as its player can; other outcomes as in `withholdScore`. */
  forfeitScore(
    sessionId: string,
    reason: string,
    stamp: AuditStamp,
  ): Promise<"forfeited" | "unchanged" | "unknown" | "not_ended" | "practice" | "on_chain">;
  /** Hides a listing, also from its seller's changes; `unchanged`: it is hidden already. */
  hideListing(listingId: Hex, reason: string, stamp: AuditStamp): Promise<"changed" | "unchanged" | "unknown">;
  /** Restores a hidden listing. */
  restoreListing(listingId: Hex, reason: string, stamp: AuditStamp): Promise<"changed" | "unchanged" | "unknown">;
  /** Requests the end of a session from the server that runs it; false when the session is unknown or has ended. */
  requestSessionEnd(sessionId: string, reason: string, stamp: AuditStamp): Promise<boolean>;
  /** Commands that no server has run yet, oldest first. */
  listOpenCommands(): Promise<readonly AdminCommandRow[]>;
  completeCommand(sessionId: string, atMs: number): Promise<void>;
}
