/** Rate limits that backends on one PostgreSQL share. A single backend counts in memory, so that SQLite has none. */
import { type Kysely, sql } from "kysely";
import { isPostgres } from "./triggers.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  // Unlogged: the rows need no disk, and a crash of the server empties the table, so that every bucket is full again.
  await sql`create unlogged table rate_buckets (name text collate "C" primary key, full_at_us bigint not null)`.execute(
    db,
  );
}
