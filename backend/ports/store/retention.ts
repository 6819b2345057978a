/** Removes expired rows. */
import type { PurgedTable } from "../../../domain/retention.ts";

export interface RetentionStore {
  /**
   * Removes up to `limit` rows of a table, with dependent rows of other tables, in one transaction. `beforeMs`: rows
   * whose time (see `RETENTION`) is before it are expired. Returns the number of rows examined: `limit` means that
   * there may be more.
   */
  purge(table: PurgedTable, beforeMs: number, limit: number): Promise<number>;
}
