/** Listings of the market, with an index for each order of the list. */
import type { Kysely } from "kysely";
import { IS_OFFERED, IS_VISIBLE } from "../../conditions.ts";

const ORDERS = {
  Recent: ["publishedAtMs desc", "listingId"],
  Price: ["currency", "price", "publishedAtMs desc", "listingId"],
  PriceDesc: ["currency", "price desc", "publishedAtMs desc", "listingId"],
  EndsAt: ["endsAtMs", "publishedAtMs desc", "listingId"],
} as const;

export async function createMarketTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
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
    .addColumn("fillable", "integer", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addColumn("endsAtMs", "bigint", (column) => column.notNull())
    .addColumn("publishedAtMs", "bigint")
    .addColumn("deadSinceMs", "bigint")
    .execute();
  const index = (name: string) => schema.createIndex(name).on("listings");
  await index("oneVisibleListing").unique().columns(["seller", "contract", "tokenId"]).where(IS_VISIBLE).execute();
  await index("visibleListingsById").column("listingId").where(IS_VISIBLE).execute();
  await index("visibleListingsOfSeller").columns(["seller", "publishedAtMs", "listingId"]).where(IS_VISIBLE).execute();
  await index("listingsOfSeller").columns(["seller", "createdAtMs", "listingId"]).execute();
  await index("listingsByEnd").column("endsAtMs").execute();
  for (const [name, columns] of Object.entries(ORDERS)) {
    await index(`offeredBy${name}`)
      .columns([...columns])
      .where(IS_OFFERED)
      .execute();
    await index(`offeredOfCollectionBy${name}`)
      .columns(["collection", ...columns])
      .where(IS_OFFERED)
      .execute();
  }
}
