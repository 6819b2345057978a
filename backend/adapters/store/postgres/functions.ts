/** SQLite functions used in the store's conditions and indexes, for PostgreSQL. */
import { type QueryExecutorProvider, sql } from "kysely";

/**
 * `strftime('%Y%m', seconds, 'unixepoch')`: year and month in UTC (https://www.sqlite.org/lang_datefunc.html).
 * Immutable, as the expression of an index must be.
 */
export async function createSqliteFunctions(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create or replace function strftime(format text, seconds bigint, modifier text) returns text
    language sql immutable parallel safe
    return (select lpad(cast(extract(year from t) as text), 4, '0') || lpad(cast(extract(month from t) as text), 2, '0')
      from (select to_timestamp(seconds) at time zone 'UTC' as t) as utc
      where format = '%Y%m' and modifier = 'unixepoch')`.execute(db);
}
