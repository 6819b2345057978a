import { isDead, type Sorting, sortListings, type UnfillableReason } from "../domain/market.ts";
import { isoOf } from "../domain/time.ts";
import type { Address, Clock, ListingRow, ListingStore, PageQuery } from "../ports.ts";
import type { Fillability, Reasons } from "./market-fillability.ts";

interface ListingPorts {
  readonly store: ListingStore;
  readonly fillability: Fillability;
  readonly clock: Clock;
}

/** The most listings that one question looks through: the last published ones. */
const CANDIDATES_MAX = 500;
/** A listing seen dead for so long is not asked about any more; before, a reorganization may bring it back. */
const DEAD_AFTER_MS = 600_000;

/** A listing as its readers see it. */
export const viewOf = (row: ListingRow, reasons: readonly UnfillableReason[]) => ({
  listingId: row.listingId,
  collection: row.collection,
  contract: row.contract,
  tokenId: row.tokenId.toString(),
  seller: row.seller,
  price: row.price.toString(),
  currency: row.currency,
  visible: row.visible,
  createdAt: isoOf(row.createdAtMs),
  endsAt: isoOf(row.endsAtMs),
  order: row.order,
  signature: row.signature,
  reasons,
});

/** Who reads the market: everybody what can be bought now, a seller all of the own listings and what ails them. */
export function makeListings({ store, fillability, clock }: ListingPorts) {
  /** Remembers which listings died and which came back, so that the dead are not asked about for ever. */
  async function noteDeaths(rows: readonly ListingRow[], reasons: Reasons): Promise<void> {
    const changed = rows.filter((row) => isDead(reasons.get(row.listingId)!) !== (row.deadSinceMs !== null));
    const died = changed.filter((row) => row.deadSinceMs === null);
    const revived = changed.filter((row) => row.deadSinceMs !== null);
    for (const [listings, sinceMs] of [[died, clock.nowMs()] as const, [revived, null] as const]) {
      if (listings.length > 0)
        await store.setDead(
          listings.map(({ listingId }) => listingId),
          sinceMs,
        );
    }
  }

  return {
    /** Visible listings that can be bought now. */
    async open(
      query: PageQuery & {
        readonly collection: string | null;
        readonly seller: Address | null;
        readonly sorting: Sorting;
      },
    ) {
      const { collection, seller, sorting, page, limit } = query;
      const nowMs = clock.nowMs();
      const rows = await store.listVisible({
        collection,
        seller,
        nowMs,
        deadBeforeMs: nowMs - DEAD_AFTER_MS,
        limit: CANDIDATES_MAX,
      });
      const reasons = await fillability.reasonsOf(rows);
      await noteDeaths(rows, reasons);
      const fillable = rows.filter(({ listingId }) => reasons.get(listingId)!.length === 0);
      const items = sortListings(fillable, sorting)
        .slice((page - 1) * limit, page * limit)
        .map((row) => viewOf(row, []));
      return { items, listings: items, page, limit, total: fillable.length };
    },

    /** All listings of a seller, drafts included, each with the reasons that keep it from being bought. */
    async mine({ seller, page, limit }: PageQuery & { readonly seller: Address }) {
      const { items: rows, total } = await store.listMine({ seller, page, limit });
      const reasons = await fillability.reasonsOf(rows);
      const items = rows.map((row) => viewOf(row, reasons.get(row.listingId)!));
      return { items, listings: items, page, limit, total };
    },
  };
}
