/** Rows of one statement: far below SQLite's limit of 32,766 parameters and PostgreSQL's of 65,535. */
export const BATCH_ROWS = 500;

/** Splits rows into lists that fit into one statement. */
export function* splitIntoBatches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) yield rows.slice(start, start + BATCH_ROWS);
}

/** The values of each column. */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/** Rows as one array for each column: a statement of PostgreSQL is the same one for any number of rows then. */
export function toColumns<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const columns: { [Name in keyof Row]?: readonly Row[Name][] } = {};
  for (const name of Object.keys(rows[0] ?? {}) as (keyof Row)[]) columns[name] = rows.map((row) => row[name]);
  return columns as Columns<Row>;
}
