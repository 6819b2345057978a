/** Rows of one statement: far below SQLite's limit of 32,766 parameters and PostgreSQL's of 65,535. */
export const BATCH_ROWS = 500;

/** Splits rows into lists that fit into one statement. */
export function* splitIntoBatches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) yield rows.slice(start, start + BATCH_ROWS);
}
