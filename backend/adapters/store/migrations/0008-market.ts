/** Listings of the market. */
import type { Kysely } from "kysely";
import { IS_VISIBLE } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("listings")
    .addColumn("listingId", "text", (column) => column.primaryKey().notNull())
    .addColumn("seller", "text", (column) => column.notNull())
    .addColumn("collection", "text", (column) => column.notNull())
    .addColumn("contract", "text", (column) => column.notNull())
    .addColumn("tokenId", "text", (column) => column.notNull())
    .addColumn("price", "text", (column) => column.notNull())
    .addColumn("currency", "text", (column) => column.notNull())
    .addColumn("order", "text", (column) => column.notNull())
    .addColumn("signature", "text")
    .addColumn("visible", "integer", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addColumn("endsAtMs", "bigint", (column) => column.notNull())
    .addColumn("publishedAtMs", "bigint")
    .addColumn("deadSinceMs", "bigint")
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on("listings");
  await index("listingsOfSeller").columns(["seller", "createdAtMs", "listingId"]).execute();
  const shown = ["publishedAtMs", "listingId"];
  await index("visibleListings").columns(shown).where(IS_VISIBLE).execute();
  await index("visibleListingsOfCollection")
    .columns(["collection", ...shown])
    .where(IS_VISIBLE)
    .execute();
  await index("visibleListingsOfSeller")
    .columns(["seller", ...shown])
    .where(IS_VISIBLE)
    .execute();
}
