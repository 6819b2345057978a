import { randomBytes } from "node:crypto";
import type { Address, Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { createOrder, NATIVE_COIN, type Order, type UnfillableReason, VISIBLE_MAX } from "../../../domain/market.ts";
import { toCanonicalSignature } from "../../../domain/signature-form.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { MarketReader, SaleState } from "../../ports/market-reader.ts";
import type { ListingRow, ListingStore, NewListing } from "../../ports/store/market.ts";
import type { Clock } from "../../ports/system.ts";
import type { Catalog } from "../sessions/catalog.ts";
import type { Fillability } from "./fillability.ts";
import { resolveCollection } from "./listings.ts";

interface MarketPorts {
  readonly store: Pick<ListingStore, "add" | "find" | "hide" | "show">;
  readonly chain: Pick<ChainReader, "deployment">;
  readonly market: Pick<
    MarketReader,
    "address" | "getSaleState" | "hashOrder" | "toTypedData" | "isValidOrderSignature"
  >;
  readonly catalog: Pick<Catalog, "resolveSlug">;
  readonly fillability: Pick<Fillability, "getHead" | "getUnixSeconds" | "findReasons">;
  readonly clock: Pick<Clock, "nowMs">;
}

export interface ListingRequest {
  readonly seller: Address;
  /** `identity` or a game's slug. */
  readonly collection: string;
  /** Decimal. */
  readonly tokenId: string;
  /** Decimal, in units of the currency. */
  readonly price: string;
  readonly currency: Address;
  readonly durationSeconds: number;
}

export interface VisibilityRequest {
  readonly seller: Address;
  readonly listingId: Hex;
  readonly visible: boolean;
  readonly signature: Hex | null;
}

/** The token and the terms of a listing, checked. */
type Sale = Pick<NewListing, "seller" | "collection" | "contract" | "tokenId" | "price" | "currency">;

/** A draft that stays unsigned for this long is deleted when its seller makes another. */
const DRAFT_TTL_MS = DAY_MS;

type RejectionReason = UnfillableReason | "NO_MARKET" | "ROYALTY_TOO_HIGH" | "TOO_MANY_VISIBLE" | "HIDDEN_BY_OPERATOR";

const createListingError = (message: string, reasons: readonly RejectionReason[]): ArcadeError =>
  new ArcadeError("LISTING_INVALID", message, { reason: reasons[0], reasons });

const createFieldError = (path: string, message: string): ArcadeError =>
  new ArcadeError("VALIDATION_FAILED", `${path}: ${message}.`, { issues: [{ path, message }] });

function createShowError(outcome: "full" | "moderated" | "unknown", listingId: Hex): ArcadeError {
  if (outcome === "unknown")
    return new ArcadeError("NOT_FOUND", `Listing ${listingId} is no longer stored; prepare it again.`);
  if (outcome === "moderated")
    return createListingError(`The operator has hidden listing ${listingId}; contact the operator.`, [
      "HIDDEN_BY_OPERATOR",
    ]);
  return createListingError(`At most ${VISIBLE_MAX} listings of a wallet are visible at a time; hide one first.`, [
    "TOO_MANY_VISIBLE",
  ]);
}

/** Listings as Seaport orders: prepared here, signed and settled by the wallets. */
export class Market {
  readonly #ports: MarketPorts;

  constructor(ports: MarketPorts) {
    this.#ports = ports;
  }

  /** Makes the order that sells one token, for its owner to sign. Throws `LISTING_INVALID` with its reasons. */
  async prepare(request: ListingRequest) {
    const { chain, market, fillability } = this.#ports;
    const sale = this.#parseSale(request);
    const seaport = this.#requireSeaport();
    const [state, head] = await Promise.all([market.getSaleState(sale), fillability.getHead()]);
    this.#checkSale(sale, state);
    const endTime = fillability.getUnixSeconds(head) + request.durationSeconds;
    const order = createOrder({
      ...sale,
      royalty: state.royalty,
      counter: state.counter,
      salt: BigInt(`0x${randomBytes(32).toString("hex")}`),
      startTime: head.timestamp,
      endTime,
    });
    const listingId = await this.#addDraft(sale, order, endTime);
    // For the whole collection, since many clients of Seaport check no other approval.
    const approval = state.isApproved
      ? null
      : createCall(chain.deployment.chainId, sale.contract, "setApprovalForAll", [seaport, true]);
    return { listingId, order, typedData: market.toTypedData(order), approval };
  }

  /** Publishes a listing that can be bought, or hides it. */
  async setVisible({ seller, listingId, visible, signature }: VisibilityRequest) {
    const { store, clock, fillability } = this.#ports;
    const row = await this.#findOwn(seller, listingId);
    if (!visible) {
      await store.hide(listingId);
      return { listingId, visible };
    }
    const reasons = (await fillability.findReasons([row])).get(listingId)!;
    if (reasons.length > 0) {
      const message = `Listing ${listingId} cannot be bought now (${reasons.join(", ")}).`;
      throw createListingError(message, reasons);
    }
    const accepted = await this.#checkSignature(row, signature);
    const outcome = await store.show(listingId, accepted, clock.nowMs(), VISIBLE_MAX);
    if (outcome === "shown") return { listingId, visible };
    throw createShowError(outcome, listingId);
  }

  /** Throws `GAME_NOT_FOUND` or `VALIDATION_FAILED`. */
  #parseSale({ seller, collection: name, tokenId, price, currency }: ListingRequest): Sale {
    const { identity, nft, token } = this.#ports.chain.deployment;
    const collection = resolveCollection(this.#ports.catalog, name);
    const contract = collection === "identity" ? identity : nft[collection]!;
    if (currency !== NATIVE_COIN && currency !== token) {
      const message = `expected the zero address (the chain's own coin) or the reward token ${token}`;
      throw createFieldError("currency", message);
    }
    return { seller, collection, contract, tokenId: BigInt(tokenId), price: BigInt(price), currency };
  }

  #requireSeaport(): Address {
    const { address } = this.#ports.market;
    if (address !== null) return address;
    throw createListingError("There is no Seaport on this chain, so nothing can be listed.", ["NO_MARKET"]);
  }

  #checkSale({ seller, contract, tokenId, price }: Sale, { owner, royalty }: SaleState): void {
    if (owner !== seller) {
      const held = owner === null ? "it does not exist" : `${owner} does`;
      throw createListingError(`Expected ${seller} to own token ${tokenId} of ${contract}; ${held}.`, ["NOT_OWNER"]);
    }
    if (royalty === null || royalty.amount < price) return;
    throw createListingError(`The royalty leaves nothing of the price ${price}; set a higher price.`, [
      "ROYALTY_TOO_HIGH",
    ]);
  }

  async #addDraft(sale: Sale, order: Order, endTime: number): Promise<Hex> {
    const { market, store, clock } = this.#ports;
    const listingId = market.hashOrder(order);
    const createdAtMs = clock.nowMs();
    await store.add({ listingId, ...sale, order, createdAtMs, endsAtMs: endTime * 1000 }, createdAtMs - DRAFT_TTL_MS);
    return listingId;
  }

  async #findOwn(seller: Address, listingId: Hex): Promise<ListingRow> {
    const row = await this.#ports.store.find(listingId);
    if (row !== null && row.seller === seller) return row;
    throw new ArcadeError(
      "NOT_FOUND",
      `There is no listing ${listingId} of ${seller}. List them at GET /api/market/listings.`,
    );
  }

  /** The first publication needs the seller's signature; later ones have it stored. */
  async #checkSignature(row: ListingRow, signature: Hex | null): Promise<Hex | null> {
    if (row.signature !== null) return signature;
    if (signature === null) {
      const message = "expected the seller's signature of typedData: this is the first publication";
      throw createFieldError("signature", message);
    }
    // Seaport rejects v 0 or 1; a contract wallet may accept it.
    for (const form of new Set([signature, toCanonicalSignature(signature)]))
      if (await this.#ports.market.isValidOrderSignature(row.order, form)) return form;
    const message = `Expected ${row.seller}'s signature of the listing's typedData; Seaport rejects this one.`;
    throw new ArcadeError("SIGNATURE_INVALID", message);
  }
}
