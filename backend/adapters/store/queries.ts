/** Parts shared by queries of several tables. */
import type { SelectQueryBuilder } from "kysely";
import type { Page, PageQuery } from "../../ports/types.ts";

/** The first row in the form of the store's callers; null if there is none. */
export function toFirst<Row, Result>(rows: readonly Row[], toResult: (row: Row) => Result): Result | null {
  const [row] = rows;
  return row === undefined ? null : toResult(row);
}

/** The number of rows that a query finds. */
export async function countRows<DB, Tables extends keyof DB>(
  query: SelectQueryBuilder<DB, Tables, object>,
): Promise<number> {
  const counted = await query.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return Number((counted as { readonly total: number }).total);
}

/** One page of the rows in order, with the total number of rows. */
export async function readPage<DB, Tables extends keyof DB, Row, Result>(
  all: SelectQueryBuilder<DB, Tables, object>,
  sorted: SelectQueryBuilder<DB, Tables, Row>,
  { page, limit }: PageQuery,
  toResult: (row: Row) => Result,
): Promise<Page<Result>> {
  const total = await countRows(all);
  const rows = await sorted
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { items: rows.map((row) => toResult(row as Row)), total };
}
