/** Listings that the operator has hidden. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("hiddenListings")
    .addColumn("listingId", "text", (column) => column.primaryKey().notNull())
    .addColumn("wasVisible", "integer", (column) => column.notNull())
    .addColumn("hiddenAtMs", "bigint", (column) => column.notNull())
    .execute();
}
