/** Listings of the market: the orders, who signed them, and who may see them. */
import type { Address, Hex } from "viem";
import type { Order, Sorting } from "../../../domain/market.ts";
import type { Page, PageQuery } from "../types.ts";

export interface ListingRow {
  /** The order's hash. */
  readonly listingId: Hex;
  readonly seller: Address;
  /** `identity` or a game's slug. */
  readonly collection: string;
  readonly contract: Address;
  readonly tokenId: bigint;
  /** The total that the buyer pays, in base units of the currency. */
  readonly price: bigint;
  readonly currency: Address;
  readonly order: Order;
  /** Null until the seller has published it. */
  readonly signature: Hex | null;
  readonly visible: boolean;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
  readonly publishedAtMs: number | null;
  /** Since when the chain shows that it can never be bought; null while it can. */
  readonly deadSinceMs: number | null;
}

export type NewListing = Omit<ListingRow, "signature" | "visible" | "publishedAtMs" | "deadSinceMs">;

export interface ListingStore {
  /** Adds a draft, and removes unsigned drafts of the same seller that were created before `staleBeforeMs`. */
  add(listing: NewListing, staleBeforeMs: number): Promise<void>;
  find(listingId: Hex): Promise<ListingRow | null>;
  /**
   * Makes a listing visible in place of the seller's other one of the same token; stores `signature` if the listing has
   * none yet. `full`: the seller has `max` other visible, unexpired ones; `unknown`: there is no such listing, or it
   * has no signature; `moderated`: the operator has hidden it.
   */
  show(
    listingId: Hex,
    signature: Hex | null,
    atMs: number,
    max: number,
  ): Promise<"shown" | "full" | "unknown" | "moderated">;
  hide(listingId: Hex): Promise<void>;
  /** Stores since when listings can never be bought; null: they can. */
  setDeadSince(listingIds: readonly Hex[], sinceMs: number | null): Promise<void>;
  /** Stores whether listings can be bought, as of a check. */
  setFillable(listingIds: readonly Hex[], isFillable: boolean): Promise<void>;
  /** Visible, unexpired ones that were not dead before `deadBeforeMs`, by id, after `afterId`; null: from the first. */
  listToCheck(filter: {
    readonly afterId: Hex | null;
    readonly nowMs: number;
    readonly deadBeforeMs: number;
    readonly limit: number;
  }): Promise<readonly ListingRow[]>;
  /**
   * Visible, unexpired ones that could be bought when they were last checked. Prices compare within one currency; the
   * native coin comes first. Ties: the last published first, then by id.
   */
  listOffered(
    query: PageQuery & {
      readonly collection: string | null;
      readonly seller: Address | null;
      readonly sorting: Sorting;
      readonly nowMs: number;
    },
  ): Promise<Page<ListingRow>>;
  /** Newest first. */
  listMine(query: PageQuery & { readonly seller: Address }): Promise<Page<ListingRow>>;
}
