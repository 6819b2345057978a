/** The store's side of the operator: what was changed by hand, and what a running server is asked to do. */
import type { Hex } from "./store.ts";

/** Who changes something by hand, and when. Every such change writes one audit row in its own transaction. */
export interface AuditStamp {
  /** UUIDv7: the rows' order. */
  readonly auditId: string;
  readonly who: string;
  readonly atMs: number;
}

export interface AuditRow extends AuditStamp {
  /** `area.verb`. */
  readonly action: string;
  /** What was changed: a slug, a session's id, a cycle. */
  readonly subject: string;
  /** JSON of the row before and after; null where there was or is none. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface OrderRow {
  readonly sessionId: string;
  readonly who: string;
  readonly requestedAtMs: number;
  /** When a server carried it out. */
  readonly doneAtMs: number | null;
}

export interface OperatorStore {
  /** Newest first; `subject` null: about anything. */
  listAudit(query: { readonly subject: string | null; readonly limit: number }): Promise<readonly AuditRow[]>;
  /** Writes a change down that another method made, or that no table of the store holds. */
  note(row: AuditRow): Promise<void>;
  /**
   * Keeps an ended session's score from being signed, ranked or counted, for ever. `on_chain`: too late;
   * `unchanged`: it is withheld already.
   */
  withhold(
    sessionId: string,
    reason: string,
    stamp: AuditStamp,
  ): Promise<"withheld" | "unchanged" | "unknown" | "not_ended" | "practice" | "on_chain">;
  /** Takes a listing from view, whatever its seller does; `unchanged`: it is already. */
  hideListing(listingId: Hex, reason: string, stamp: AuditStamp): Promise<"changed" | "unchanged" | "unknown">;
  /** Lifts that. */
  restoreListing(listingId: Hex, reason: string, stamp: AuditStamp): Promise<"changed" | "unchanged" | "unknown">;
  /** Asks the server that runs it to end a session; false where the session is unknown or has ended. */
  orderEnd(sessionId: string, reason: string, stamp: AuditStamp): Promise<boolean>;
  /** Orders not carried out yet, oldest first. */
  openOrders(): Promise<readonly OrderRow[]>;
  completeOrder(sessionId: string, atMs: number): Promise<void>;
}
