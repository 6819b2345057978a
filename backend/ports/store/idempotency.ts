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

export interface IdempotencyStore {
  /** Claims the key; returns the row of an earlier claim, null when this call claimed it. */
  claim(row: IdempotencyRow): Promise<IdempotencyRow | null>;
  complete(row: Pick<IdempotencyRow, "caller" | "route" | "key" | "status" | "body">): Promise<void>;
  release(row: Pick<IdempotencyRow, "caller" | "route" | "key">): Promise<void>;
}
