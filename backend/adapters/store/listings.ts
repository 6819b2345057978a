/** Listings of the market. */
import type { Order } from "../../domain/market.ts";
import type { ListingRow, ListingStore } from "../../ports.ts";
import { IS_VISIBLE } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";
import { isHiddenByOperator } from "./moderation.ts";
import { packUint, unpackUint } from "./numbers.ts";
import type { ListingTable } from "./schema.ts";

const toRow = (row: ListingTable): ListingRow => ({
  ...row,
  tokenId: unpackUint(row.tokenId),
  price: unpackUint(row.price),
  order: JSON.parse(row.order) as Order,
  visible: row.visible === 1,
});

/** Whether the seller has as many visible listings in time as allowed, beside this one. */
async function isFull(db: Db, listing: ListingTable, atMs: number, max: number): Promise<boolean> {
  const { others } = await db
    .selectFrom("listings")
    .select((eb) => eb.fn.countAll<number>().as("others"))
    .where("seller", "=", listing.seller)
    .where(IS_VISIBLE)
    .where("endsAtMs", ">", atMs)
    .where("listingId", "<>", listing.listingId)
    .executeTakeFirstOrThrow();
  return Number(others) >= max;
}

export function makeListingStore({ read, write }: Connection): ListingStore {
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
            publishedAtMs: null,
            deadSinceMs: null,
          })
          .execute();
      }),

    find: (listingId) =>
      read(async (db) => {
        const query = db.selectFrom("listings").selectAll().where("listingId", "=", listingId);
        const row = await query.executeTakeFirst();
        return row === undefined ? null : toRow(row);
      }),

    show: (listingId, signature, atMs, max) =>
      write(async (db) => {
        const query = db.selectFrom("listings").selectAll().where("listingId", "=", listingId);
        const row = await query.executeTakeFirst();
        if (row === undefined) return "unknown";
        const signed = row.signature ?? signature;
        if (signed === null) return "unknown";
        if (await isHiddenByOperator(db, listingId)) return "moderated";
        if (await isFull(db, row, atMs, max)) return "full";
        await db
          .updateTable("listings")
          .set({ signature: signed, visible: 1, publishedAtMs: row.publishedAtMs ?? atMs, deadSinceMs: null })
          .where("listingId", "=", listingId)
          .execute();
        return "shown";
      }),

    hide: (listingId) =>
      write(async (db) => {
        await db.updateTable("listings").set({ visible: 0 }).where("listingId", "=", listingId).execute();
        // What the operator gives back stays hidden where its seller has hidden it meanwhile.
        await db.updateTable("hiddenListings").set({ wasVisible: 0 }).where("listingId", "=", listingId).execute();
      }),

    setDead: (listingIds, sinceMs) =>
      write(async (db) => {
        for (const listingId of listingIds) {
          await db
            .updateTable("listings")
            .set({ deadSinceMs: sinceMs })
            .where("listingId", "=", listingId)
            .where("deadSinceMs", sinceMs === null ? "is not" : "is", null)
            .execute();
        }
      }),

    listVisible: ({ collection, seller, nowMs, deadBeforeMs, limit }) =>
      read(async (db) => {
        let query = db.selectFrom("listings").selectAll().where(IS_VISIBLE).where("endsAtMs", ">", nowMs);
        if (seller !== null) query = query.where("seller", "=", seller);
        if (collection !== null) query = query.where("collection", "=", collection);
        const rows = await query
          .where((eb) => eb.or([eb("deadSinceMs", "is", null), eb("deadSinceMs", ">=", deadBeforeMs)]))
          .orderBy("publishedAtMs", "desc")
          .orderBy("listingId", "desc")
          .limit(limit)
          .execute();
        return rows.map(toRow);
      }),

    listMine: ({ seller, page, limit }) =>
      read(async (db) => {
        const { total } = await db
          .selectFrom("listings")
          .select((eb) => eb.fn.countAll<number>().as("total"))
          .where("seller", "=", seller)
          .executeTakeFirstOrThrow();
        const rows = await db
          .selectFrom("listings")
          .selectAll()
          .where("seller", "=", seller)
          .orderBy("createdAtMs", "desc")
          .orderBy("listingId", "desc")
          .limit(limit)
          .offset((page - 1) * limit)
          .execute();
        return { items: rows.map(toRow), total: Number(total) };
      }),
  };
}
