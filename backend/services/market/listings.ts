import type { Address, Hex } from "viem";
import { isDead, type Sorting, type UnfillableReason } from "../../../domain/market.ts";
import { toIso } from "../../../domain/time.ts";
import type { Head } from "../../ports/chain.ts";
import type { ListingRow, ListingStore } from "../../ports/store/market.ts";
import type { Clock } from "../../ports/system.ts";
import type { PageQuery } from "../../ports/types.ts";
import type { Catalog } from "../sessions/catalog.ts";
import type { Fillability, ReasonsById } from "./fillability.ts";

interface ListingPorts {
  readonly store: Pick<ListingStore, "listToCheck" | "listOffered" | "listMine" | "setDeadSince" | "setFillable">;
  readonly catalog: Pick<Catalog, "resolveSlug">;
  readonly fillability: Pick<Fillability, "findReasons" | "getHead">;
  readonly clock: Pick<Clock, "nowMs">;
}

export interface ListingQuery extends PageQuery {
  /** `identity`, a game's slug, or null for all. */
  readonly collection: string | null;
  readonly seller: Address | null;
  readonly sorting: Sorting;
}

/** The maximum number of listings to check per block, besides those of the requested pages. */
const CHECK_MAX = 500;
/** How often a page is read again because some of its listings can no longer be bought. */
const PAGE_ATTEMPTS = 3;
/** How long an unfillable listing is still checked, since a reorganization may make it fillable again. */
const DEAD_AFTER_MS = 600_000;

const toListingView = (row: ListingRow, reasons: readonly UnfillableReason[]) => ({
  listingId: row.listingId,
  collection: row.collection,
  contract: row.contract,
  tokenId: row.tokenId.toString(),
  seller: row.seller,
  price: row.price.toString(),
  currency: row.currency,
  visible: row.visible,
  createdAt: toIso(row.createdAtMs),
  endsAt: toIso(row.endsAtMs),
  order: row.order,
  signature: row.signature,
  reasons,
});

/** The canonical name of a collection. Throws `GAME_NOT_FOUND` if it is neither `identity` nor a game. */
export const resolveCollection = (catalog: Pick<Catalog, "resolveSlug">, name: string): string =>
  name === "identity" ? name : catalog.resolveSlug(name);

/** Reads of the market: open listings for everyone, and a seller's own ones. */
export class Listings {
  readonly #ports: ListingPorts;
  /** The block of the last check, and the listing at which it ended; null: at the end of the list. */
  #checkedHash: Hex | null = null;
  #checkedId: Hex | null = null;
  #pendingCheck: Promise<Head> | null = null;

  constructor(ports: ListingPorts) {
    this.#ports = ports;
  }

  /** Visible listings that can be bought now, sorted and paged by the store. */
  async listOpen({ collection, seller, sorting, page, limit }: ListingQuery) {
    const { store, catalog, clock, fillability } = this.#ports;
    const ofCollection = collection === null ? null : resolveCollection(catalog, collection);
    const query = { collection: ofCollection, seller, sorting, page, limit };
    const head = await this.#checkBatch();
    for (let attempt = 1; ; attempt += 1) {
      const { items: rows, total } = await store.listOffered({ ...query, nowMs: clock.nowMs() });
      const reasons = await fillability.findReasons(rows, head);
      await this.#storeReasons(rows, reasons);
      const fillable = rows.filter(({ listingId }) => reasons.get(listingId)!.length === 0);
      // Each attempt takes what can no longer be bought out of the list.
      if (fillable.length < rows.length && attempt < PAGE_ATTEMPTS) continue;
      const items = fillable.map((row) => toListingView(row, []));
      return { items, page, limit, total: total - (rows.length - fillable.length) };
    }
  }

  /** Checks the listings as of the latest block, unless that was done. Throws `CHAIN_UNAVAILABLE`. */
  async check(): Promise<void> {
    await this.#checkBatch();
  }

  /** All listings of a seller, drafts included, each with the reasons why it cannot be bought. */
  async listMine({ seller, page, limit }: PageQuery & { readonly seller: Address }) {
    const { store, fillability } = this.#ports;
    const { items: rows, total } = await store.listMine({ seller, page, limit });
    const reasons = await fillability.findReasons(rows);
    const items = rows.map((row) => toListingView(row, reasons.get(row.listingId)!));
    return { items, page, limit, total };
  }

  /**
   * Checks the next listings, once per block: those that others cannot buy leave the list, and those that can be bought
   * again return. Up to `CHECK_MAX` visible listings are all checked in every block. Returns the head.
   */
  #checkBatch(): Promise<Head> {
    this.#pendingCheck ??= this.#checkNext().finally(() => {
      this.#pendingCheck = null;
    });
    return this.#pendingCheck;
  }

  async #checkNext(): Promise<Head> {
    const { store, clock, fillability } = this.#ports;
    const head = await fillability.getHead();
    if (head.hash === this.#checkedHash) return head;
    const nowMs = clock.nowMs();
    const filter = { nowMs, deadBeforeMs: nowMs - DEAD_AFTER_MS };
    const rest = await store.listToCheck({ ...filter, afterId: this.#checkedId, limit: CHECK_MAX });
    const isEnd = rest.length < CHECK_MAX;
    const first =
      isEnd && this.#checkedId !== null
        ? await store.listToCheck({ ...filter, afterId: null, limit: CHECK_MAX - rest.length })
        : [];
    const rows = [...new Map([...rest, ...first].map((row) => [row.listingId, row])).values()];
    await this.#storeReasons(rows, await fillability.findReasons(rows, head));
    this.#checkedId = isEnd ? (first.at(-1)?.listingId ?? null) : rest.at(-1)!.listingId;
    this.#checkedHash = head.hash;
    return head;
  }

  /** Stores which listings can be bought, and when the others were first found dead. */
  async #storeReasons(rows: readonly ListingRow[], reasons: ReasonsById): Promise<void> {
    const { store, clock } = this.#ports;
    const isFillable = ({ listingId }: ListingRow): boolean => reasons.get(listingId)!.length === 0;
    const toIds = (some: readonly ListingRow[]) => some.map(({ listingId }) => listingId);
    const fillable = rows.filter(isFillable);
    const unfillable = rows.filter((row) => !isFillable(row));
    if (fillable.length > 0) await store.setFillable(toIds(fillable), true);
    if (unfillable.length > 0) await store.setFillable(toIds(unfillable), false);
    const changed = rows.filter((row) => isDead(reasons.get(row.listingId)!) !== (row.deadSinceMs !== null));
    const died = changed.filter((row) => row.deadSinceMs === null);
    const revived = changed.filter((row) => row.deadSinceMs !== null);
    if (died.length > 0) await store.setDeadSince(toIds(died), clock.nowMs());
    if (revived.length > 0) await store.setDeadSince(toIds(revived), null);
  }
}
