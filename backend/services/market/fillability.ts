import type { Hex } from "viem";
import { findUnfillableReasons, isDead, type OrderState, type UnfillableReason } from "../../../domain/market.ts";
import type { ChainReader, Head } from "../../ports/chain.ts";
import type { MarketReader } from "../../ports/market-reader.ts";
import type { ListingRow } from "../../ports/store/market.ts";
import type { Clock, Worker } from "../../ports/system.ts";
import { ListingSignatures } from "./signatures.ts";

interface FillabilityPorts {
  readonly chain: Pick<ChainReader, "getHead">;
  readonly market: Pick<MarketReader, "getOrderStates" | "toDigest" | "isValidOrderSignature">;
  readonly worker: Pick<Worker, "recoverDigest">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Why each listing cannot be bought, by its id; no reasons: it can be. */
export type ReasonsById = ReadonlyMap<Hex, readonly UnfillableReason[]>;

/** With more orders than this in one block, some states are read again. */
const CACHE_MAX = 10_000;

/**
 * Finds why orders cannot be bought, as of the chain's head. States are cached for one block: between two blocks only
 * the time changes.
 */
export class Fillability {
  readonly #ports: FillabilityPorts;
  readonly #signatures: ListingSignatures;
  #cached: { readonly hash: Hex; readonly states: Map<Hex, Promise<OrderState>> } | null = null;
  #pendingHead: Promise<Head> | null = null;

  constructor(ports: FillabilityPorts) {
    this.#ports = ports;
    this.#signatures = new ListingSignatures(ports);
  }

  /** The chain's head; simultaneous calls share one request. */
  getHead(): Promise<Head> {
    this.#pendingHead ??= this.#ports.chain.getHead().finally(() => {
      this.#pendingHead = null;
    });
    return this.#pendingHead;
  }

  /** Unix seconds: the block's time if it is ahead, else the clock's, since blocks may be mined on demand. */
  getUnixSeconds(at: Head): number {
    return Math.max(at.timestamp, Math.floor(this.#ports.clock.nowMs() / 1000));
  }

  /** `head`: the chain's head if the caller has just read it. */
  async findReasons(listings: readonly ListingRow[], head?: Head): Promise<ReasonsById> {
    if (listings.length === 0) return new Map();
    const at = head ?? (await this.getHead());
    const states = await Promise.all(this.#fetchStates(at, listings));
    const entries = listings.map(async (listing, index) => {
      return [listing.listingId, await this.#findListingReasons(listing, states[index]!, at)] as const;
    });
    return new Map(await Promise.all(entries));
  }

  async #findListingReasons(listing: ListingRow, state: OrderState, at: Head): Promise<readonly UnfillableReason[]> {
    const nowSeconds = this.getUnixSeconds(at);
    const reasons = findUnfillableReasons(listing.order, state, nowSeconds);
    // Seaport validates signatures against the current order; its result is meaningless for an order that cannot be filled.
    if (isDead(reasons) || (await this.#signatures.isValid(listing, at))) return reasons;
    return findUnfillableReasons(listing.order, state, nowSeconds, false);
  }

  #fetchStates(at: Head, listings: readonly ListingRow[]): readonly Promise<OrderState>[] {
    if (this.#cached === null || this.#cached.hash !== at.hash || this.#cached.states.size > CACHE_MAX)
      this.#cached = { hash: at.hash, states: new Map() };
    const { states } = this.#cached;
    const missing = listings.filter(({ listingId }) => !states.has(listingId));
    if (missing.length > 0) {
      const responses = this.#ports.market.getOrderStates(missing, at.number);
      missing.forEach(({ listingId }, index) => {
        const state = responses.then((all) => all[index]!);
        // A failure is not cached.
        state.catch(() => states.delete(listingId));
        states.set(listingId, state);
      });
    }
    return listings.map(({ listingId }) => states.get(listingId)!);
  }
}
