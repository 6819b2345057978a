/** Listings of the market, with an index for each order of the list. */
import type { Kysely } from "kysely";
import { IS_OFFERED, IS_VISIBLE } from "../../conditions.ts";
import { defineTable, indexesOf } from "../define-table.ts";

const ORDERS = {
  Recent: ["publishedAtMs desc", "listingId"],
  Price: ["currency", "price", "publishedAtMs desc", "listingId"],
  PriceDesc: ["currency", "price desc", "publishedAtMs desc", "listingId"],
  EndsAt: ["endsAtMs", "publishedAtMs desc", "listingId"],
} as const;

export async function createMarketTables({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`listings:
    listingId text key, seller text, collection text, contract text, tokenId text, price text, currency text,
    order text, signature text?, visible integer, fillable integer, createdAtMs bigint, endsAtMs bigint,
    publishedAtMs bigint?, deadSinceMs bigint?`.execute();
  const index = indexesOf(schema, "listings");
  await index("oneVisibleListing", ["seller", "contract", "tokenId"], IS_VISIBLE, true);
  await index("visibleListingsById", ["listingId"], IS_VISIBLE);
  await index("visibleListingsOfSeller", ["seller", "publishedAtMs", "listingId"], IS_VISIBLE);
  await index("listingsOfSeller", ["seller", "createdAtMs", "listingId"]);
  await index("listingsByEnd", ["endsAtMs"]);
  for (const [name, columns] of Object.entries(ORDERS)) {
    await index(`offeredBy${name}`, columns, IS_OFFERED);
    await index(`offeredOfCollectionBy${name}`, ["collection", ...columns], IS_OFFERED);
  }
}
