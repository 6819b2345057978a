/** Listings of the market. */
import { sql } from "kysely";
import type { Hex } from "viem";
import type { Order, Sorting } from "../../../../domain/market.ts";
import type { ListingRow, ListingStore } from "../../../ports/store/market.ts";
import type { Page } from "../../../ports/types.ts";
import { isHiddenByOperator } from "../admin/moderation.ts";
import { splitIntoBatches } from "../batches.ts";
import { IS_OFFERED, IS_VISIBLE } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { isPostgres } from "../migrations/triggers.ts";
import { packUint, unpackUint } from "../numbers.ts";
import { countRows, readPage, toFirst } from "../queries.ts";
import type { Db, ListingTable } from "../schema.ts";
import { defineStatement } from "../statement.ts";

const toRow = ({ fillable: _, ...row }: ListingTable): ListingRow => ({
  ...row,
  tokenId: unpackUint(row.tokenId),
  price: unpackUint(row.price),
  order: JSON.parse(row.order) as Order,
  visible: row.visible === 1,
});

const ORDER_BY: { readonly [sorting in Sorting]: readonly (readonly [keyof ListingTable, "asc" | "desc"])[] } = {
  recent: [],
  price: [
    ["currency", "asc"],
    ["price", "asc"],
  ],
  priceDesc: [
    ["currency", "asc"],
    ["price", "desc"],
  ],
  endsAt: [["endsAtMs", "asc"]],
};

/** Hides the seller's other listing of the token: the newer one replaces it. */
async function hideReplaced(db: Db, { seller, contract, tokenId, listingId }: ListingTable): Promise<void> {
  await db
    .updateTable("listings")
    .set({ visible: 0 })
    .where("seller", "=", seller)
    .where("contract", "=", contract)
    .where("tokenId", "=", tokenId)
    .where(IS_VISIBLE)
    .where("listingId", "<>", listingId)
    .execute();
}

/**
 * Locks the rows of listings in the order of their ids: every node writes its findings about the same block, and two
 * nodes with different orders would wait for each other. SQLite has one writer.
 */
async function lockListings(db: Db, listingIds: readonly Hex[]): Promise<void> {
  if (!isPostgres(db)) return;
  for (const batch of splitIntoBatches(listingIds.toSorted())) {
    const rows = db.selectFrom("listings").select("listingId").where("listingId", "in", batch);
    await rows.orderBy("listingId").forUpdate().execute();
  }
}

/** Whether the seller has the maximum of visible, unexpired listings of other tokens. */
async function hasReachedLimit(db: Db, listing: ListingTable, atMs: number, max: number): Promise<boolean> {
  const others = db
    .selectFrom("listings")
    .where("seller", "=", listing.seller)
    .where(IS_VISIBLE)
    .where("endsAtMs", ">", atMs)
    .where((eb) => eb.or([eb("contract", "<>", listing.contract), eb("tokenId", "<>", listing.tokenId)]));
  return (await countRows(others)) >= max;
}

interface CheckQuery {
  readonly afterId: Hex;
  readonly nowMs: number;
  readonly deadBeforeMs: number;
  readonly limit: number;
}

/** Runs for every block. */
const selectToCheck = defineStatement<CheckQuery, ListingTable>((db, { afterId, nowMs, deadBeforeMs, limit }) =>
  db
    .selectFrom("listings")
    .selectAll()
    .where(IS_VISIBLE)
    .where("listingId", ">", afterId)
    .where("endsAtMs", ">", nowMs)
    .where((eb) => eb.or([eb("deadSinceMs", "is", null), eb("deadSinceMs", ">=", deadBeforeMs)]))
    .orderBy("listingId")
    .limit(limit),
);

async function showListing(
  db: Db,
  ...[listingId, signature, atMs, max]: Parameters<ListingStore["show"]>
): ReturnType<ListingStore["show"]> {
  const row = await db.selectFrom("listings").selectAll().where("listingId", "=", listingId).executeTakeFirst();
  if (row === undefined) return "unknown";
  const signed = row.signature ?? signature;
  if (signed === null) return "unknown";
  if (await isHiddenByOperator(db, listingId)) return "moderated";
  if (await hasReachedLimit(db, row, atMs, max)) return "full";
  await hideReplaced(db, row);
  const publishedAtMs = row.publishedAtMs ?? atMs;
  await db
    .updateTable("listings")
    .set({ signature: signed, visible: 1, fillable: 1, publishedAtMs, deadSinceMs: null })
    .where("listingId", "=", listingId)
    .execute();
  return "shown";
}

function listOffered(db: Db, query: Parameters<ListingStore["listOffered"]>[0]): Promise<Page<ListingRow>> {
  const { collection, seller, sorting, nowMs } = query;
  // The plus keeps the planner from using the index of `endsAtMs`: the index of the requested order is better.
  let offered = db.selectFrom("listings").where(IS_OFFERED).where(sql<boolean>`+ends_at_ms > ${nowMs}`);
  if (seller !== null) offered = offered.where("seller", "=", seller);
  if (collection !== null) offered = offered.where("collection", "=", collection);
  const sorted = ORDER_BY[sorting].reduce(
    (rows, [column, direction]) => rows.orderBy(column, direction),
    offered.selectAll(),
  );
  return readPage(offered, sorted.orderBy("publishedAtMs", "desc").orderBy("listingId"), query, toRow);
}

function listMine(db: Db, query: Parameters<ListingStore["listMine"]>[0]): Promise<Page<ListingRow>> {
  const mine = db.selectFrom("listings").where("seller", "=", query.seller);
  const sorted = mine.selectAll().orderBy("createdAtMs", "desc").orderBy("listingId", "desc");
  return readPage(mine, sorted, query, toRow);
}

export function createListingStore({ read, readOne, write, writeApart }: Connection): ListingStore {
  return {
    add: (listing, staleBeforeMs) =>
      write(async (db) => {
        await db
          .deleteFrom("listings")
          .where("seller", "=", listing.seller)
          .where("createdAtMs", "<", staleBeforeMs)
          .where("signature", "is", null)
          .execute();
        await db
          .insertInto("listings")
          .values({
            ...listing,
            tokenId: packUint(listing.tokenId),
            price: packUint(listing.price),
            order: JSON.stringify(listing.order),
            signature: null,
            visible: 0,
            fillable: 1,
            publishedAtMs: null,
            deadSinceMs: null,
          })
          .execute();
      }),

    find: (listingId) =>
      readOne(async (db) => {
        const query = db.selectFrom("listings").selectAll().where("listingId", "=", listingId);
        return toFirst(await query.execute(), toRow);
      }),

    show: (...request) => write((db) => showListing(db, ...request)),

    hide: (listingId) =>
      write(async (db) => {
        // A listing hidden by its seller stays hidden when the operator restores it. Its row is locked first, as there.
        await db.updateTable("hiddenListings").set({ wasVisible: 0 }).where("listingId", "=", listingId).execute();
        await db.updateTable("listings").set({ visible: 0 }).where("listingId", "=", listingId).execute();
      }),

    setDeadSince: (listingIds, sinceMs) =>
      writeApart(async (db) => {
        await lockListings(db, listingIds);
        for (const listingId of listingIds) {
          await db
            .updateTable("listings")
            .set({ deadSinceMs: sinceMs })
            .where("listingId", "=", listingId)
            .where("deadSinceMs", sinceMs === null ? "is not" : "is", null)
            .execute();
        }
      }),

    async setFillable(listingIds, isFillable) {
      const fillable = isFillable ? 1 : 0;
      for (const batch of splitIntoBatches(listingIds)) {
        // Most checks change nothing and must not wait for the writer.
        const changed = await read((db) =>
          db
            .selectFrom("listings")
            .select("listingId")
            .where("listingId", "in", batch)
            .where("fillable", "<>", fillable)
            .execute(),
        );
        const ids = changed.map(({ listingId }) => listingId);
        if (ids.length > 0)
          await writeApart(async (db) => {
            await lockListings(db, ids);
            await db.updateTable("listings").set({ fillable }).where("listingId", "in", ids).execute();
          });
      }
    },

    listToCheck: ({ afterId, ...query }) =>
      readOne(async (db) => (await selectToCheck(db, { ...query, afterId: afterId ?? ("" as Hex) })).rows.map(toRow)),

    listOffered: (query) => read((db) => listOffered(db, query)),

    listMine: (query) => read((db) => listMine(db, query)),
  };
}
