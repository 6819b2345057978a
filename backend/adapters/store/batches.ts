/** Rows per statement: far below the parameter limits of SQLite (32,766) and PostgreSQL (65,535). */
export const BATCH_ROWS = 500;

/** Splits rows into lists that fit into one statement. */
export function* splitIntoBatches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) yield rows.slice(start, start + BATCH_ROWS);
}

/** One array of values per column. */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/** Turns rows into one array per column, so that PostgreSQL's statement is the same for any number of rows. */
export function toColumns<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const columns: { [Name in keyof Row]?: readonly Row[Name][] } = {};
  for (const name of Object.keys(rows[0] ?? {}) as (keyof Row)[]) columns[name] = rows.map((row) => row[name]);
  return columns as Columns<Row>;
}
