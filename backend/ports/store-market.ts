/** Listings of the market: the orders, who signed them, and who may see them. */
import type { Order } from "../domain/market.ts";
import type { Address, Hex, Page, PageQuery } from "./store.ts";

export interface ListingRow {
  /** The order's hash. */
  readonly listingId: Hex;
  readonly seller: Address;
  /** `identity` or a game's slug. */
  readonly collection: string;
  readonly contract: Address;
  readonly tokenId: bigint;
  /** What the buyer pays in all, in base units of the currency. */
  readonly price: bigint;
  readonly currency: Address;
  readonly order: Order;
  /** Null until the seller has published it. */
  readonly signature: Hex | null;
  readonly visible: boolean;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
  readonly publishedAtMs: number | null;
  /** Since when the chain says that it can never be bought again; null while it may. */
  readonly deadSinceMs: number | null;
}

export type NewListing = Omit<ListingRow, "signature" | "visible" | "publishedAtMs" | "deadSinceMs">;

export interface ListingStore {
  /** Adds a draft, and forgets those of the same seller that were made before `staleBeforeMs` and never signed. */
  add(listing: NewListing, staleBeforeMs: number): Promise<void>;
  find(listingId: Hex): Promise<ListingRow | null>;
  /**
   * Makes a listing visible; `signature` is stored where it has none yet. `full`: the seller has `max` other visible
   * ones in time; `unknown`: there is no such listing, or it has no signature and got none;
   * `moderated`: the operator took it from view.
   */
  show(
    listingId: Hex,
    signature: Hex | null,
    atMs: number,
    max: number,
  ): Promise<"shown" | "full" | "unknown" | "moderated">;
  hide(listingId: Hex): Promise<void>;
  /** Writes down since when a listing is dead; null: it is not. */
  setDead(listingIds: readonly Hex[], sinceMs: number | null): Promise<void>;
  /** Visible ones in time that were not seen dead before `deadBeforeMs`, the last published first. */
  listVisible(filter: {
    readonly collection: string | null;
    readonly seller: Address | null;
    readonly nowMs: number;
    readonly deadBeforeMs: number;
    readonly limit: number;
  }): Promise<readonly ListingRow[]>;
  /** Newest first. */
  listMine(query: PageQuery & { readonly seller: Address }): Promise<Page<ListingRow>>;
}
