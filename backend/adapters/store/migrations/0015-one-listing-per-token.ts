/** One visible listing of a token and seller; whether a listing can be bought; and an index for each order of the list. */
import { type Kysely, sql } from "kysely";
import { IS_OFFERED, IS_VISIBLE } from "../conditions.ts";

const ORDERS = {
  Recent: ["publishedAtMs desc", "listingId"],
  Price: ["currency", "price", "publishedAtMs desc", "listingId"],
  PriceDesc: ["currency", "price desc", "publishedAtMs desc", "listingId"],
  EndsAt: ["endsAtMs", "publishedAtMs desc", "listingId"],
} as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("listings")
    .addColumn("fillable", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  // Of several visible listings of a token, the one that was published last stays.
  await sql`
    update listings set visible = 0 where visible = 1 and exists (
      select 1 from listings as newer
      where newer.visible = 1 and newer.seller = listings.seller and newer.contract = listings.contract
        and newer.token_id = listings.token_id
        and (newer.published_at_ms, newer.listing_id) > (listings.published_at_ms, listings.listing_id))`.execute(db);

  for (const name of ["visibleListings", "visibleListingsOfCollection"]) await db.schema.dropIndex(name).execute();
  const index = (name: string) => db.schema.createIndex(name).on("listings");
  await index("oneVisibleListing").unique().columns(["seller", "contract", "tokenId"]).where(IS_VISIBLE).execute();
  await index("visibleListingsById").column("listingId").where(IS_VISIBLE).execute();
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
