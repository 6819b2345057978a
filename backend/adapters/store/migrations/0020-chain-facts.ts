/**
 * Owners, URIs, cancelled sessions and annulled tokens are read from stored events, too. Stores have none of these events
 * yet: what is stored of the chain is removed, and the indexer reads all blocks again.
 */
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("chainEvents").addColumn("uri", "text").execute();
  for (const table of ["chainEvents", "chainTotals", "blocks"]) await sql`delete from ${sql.table(table)}`.execute(db);
}
