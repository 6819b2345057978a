export interface IdempotencyRow {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
  /** Null while the first request is running. */
  readonly status: number | null;
  readonly body: string | null;
  readonly createdAtMs: number;
}

/** Identifies one claim: a later claim of the same key has another time. */
type IdempotencyClaimId = Pick<IdempotencyRow, "caller" | "route" | "key" | "createdAtMs">;

export interface IdempotencyStore {
  /** Claims the key; returns the row of an earlier claim, null when this call claimed it. */
  claim(row: IdempotencyRow): Promise<IdempotencyRow | null>;
  /** Stores the response of a claim; nothing if another claim has taken its place. */
  complete(row: IdempotencyClaimId & Pick<IdempotencyRow, "status" | "body">): Promise<void>;
  /** Ends a claim without a response; nothing if another claim has taken its place. */
  release(claim: IdempotencyClaimId): Promise<void>;
}
