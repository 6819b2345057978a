/** Removes rows whose time is over. */
import type { PurgedTable } from "../../../domain/retention.ts";

export interface RetentionStore {
  /**
   * Removes up to `limit` rows of a table, with the rows of other tables that belong to them, in one transaction.
   * `beforeMs`: rows whose time (see `RETENTION`) is before it are over. Returns the number of rows that were looked at:
   * `limit` means that there may be more.
   */
  purge(table: PurgedTable, beforeMs: number, limit: number): Promise<number>;
}
