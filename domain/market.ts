/**
 * Listings as Seaport 1.6 orders (https://docs.opensea.io/reference/seaport-overview): their form, and why one cannot
 * be bought.
 */
import type { Address, Hex } from "viem";
import { DAY_SECONDS } from "./time.ts";

const ZERO_HASH: Hex = `0x${"0".repeat(64)}`;

/** The currency address for the chain's native coin. */
export const NATIVE_COIN: Address = `0x${"0".repeat(40)}`;

/** Seaport's `ItemType`, as far as listings need it. */
const ITEM_TYPES = { native: 0, erc20: 1, erc721: 2 } as const;
/** Seaport's `OrderType`: anyone may fill it, as a whole. */
const FULL_OPEN = 0;

export interface OfferItem {
  readonly itemType: number;
  readonly token: Address;
  readonly identifierOrCriteria: string;
  readonly startAmount: string;
  readonly endAmount: string;
}

export interface ConsiderationItem extends OfferItem {
  readonly recipient: Address;
}

/** Seaport's `OrderComponents`: numbers as decimal strings, its enums as JSON integers. */
export interface Order {
  readonly offerer: Address;
  readonly zone: Address;
  readonly offer: readonly OfferItem[];
  readonly consideration: readonly ConsiderationItem[];
  readonly orderType: number;
  /** Unix seconds. */
  readonly startTime: string;
  readonly endTime: string;
  readonly zoneHash: Hex;
  readonly salt: string;
  readonly conduitKey: Hex;
  readonly counter: string;
}

export const LISTING_TIMES = { defaultSeconds: 7 * DAY_SECONDS, maxSeconds: 30 * DAY_SECONDS } as const;

/** Prices stay below this, so that no share can overflow a uint256. */
export const PRICE_LIMIT = 2n ** 128n;

/** Listings of one seller that may be visible at a time. */
export const VISIBLE_MAX = 100;

/** The royalty of an ERC-2981 collection on a sale, in units of the price's currency. */
export interface Royalty {
  readonly receiver: Address;
  readonly amount: bigint;
}

export interface ListingTerms {
  readonly seller: Address;
  readonly contract: Address;
  readonly tokenId: bigint;
  /** The total that the buyer pays. */
  readonly price: bigint;
  readonly currency: Address;
  readonly royalty: Royalty | null;
  readonly counter: bigint;
  readonly salt: bigint;
  /** Unix seconds. */
  readonly startTime: number;
  readonly endTime: number;
}

/** An order that sells one token at a fixed price; the royalty is part of the price. */
export function createOrder(terms: ListingTerms): Order {
  const { seller, currency, price, royalty } = terms;
  const payment = (recipient: Address, amount: bigint): ConsiderationItem => ({
    itemType: currency === NATIVE_COIN ? ITEM_TYPES.native : ITEM_TYPES.erc20,
    token: currency,
    identifierOrCriteria: "0",
    startAmount: amount.toString(),
    endAmount: amount.toString(),
    recipient,
  });
  // Seaport rejects items with amount 0, and a royalty to the seller is not a separate payment.
  const isOwed = royalty !== null && royalty.amount > 0n && royalty.receiver !== seller;
  return {
    offerer: seller,
    zone: NATIVE_COIN,
    offer: [
      {
        itemType: ITEM_TYPES.erc721,
        token: terms.contract,
        identifierOrCriteria: terms.tokenId.toString(),
        startAmount: "1",
        endAmount: "1",
      },
    ],
    consideration: isOwed
      ? [payment(seller, price - royalty.amount), payment(royalty.receiver, royalty.amount)]
      : [payment(seller, price)],
    orderType: FULL_OPEN,
    startTime: terms.startTime.toString(),
    endTime: terms.endTime.toString(),
    zoneHash: ZERO_HASH,
    salt: terms.salt.toString(),
    conduitKey: ZERO_HASH,
    counter: terms.counter.toString(),
  };
}

/** Why an order cannot be bought. */
export const UNFILLABLE_REASONS = [
  "NOT_OWNER",
  "NOT_APPROVED",
  "COUNTER_CHANGED",
  "CANCELLED",
  "FILLED",
  "EXPIRED",
  "SIGNATURE_REFUSED",
] as const;
export type UnfillableReason = (typeof UNFILLABLE_REASONS)[number];

/** The state of an order on chain at one block. */
export interface OrderState {
  /** Null if the token does not exist. */
  readonly owner: Address | null;
  /** Seaport may move the token. */
  readonly isApproved: boolean;
  /** The seller's, as Seaport counts. */
  readonly counter: bigint;
  readonly isCancelled: boolean;
  readonly isFilled: boolean;
}

/** Every problem of the listing, in the table's order; none: it can be bought. */
export function findUnfillableReasons(
  order: Pick<Order, "offerer" | "counter" | "endTime">,
  facts: OrderState,
  nowSeconds: number,
  /** False if the seller is a contract that no longer accepts its signature (ERC-1271). */
  isSigned = true,
): readonly UnfillableReason[] {
  const applies: { readonly [reason in UnfillableReason]: boolean } = {
    NOT_OWNER: facts.owner !== order.offerer,
    // Unknown approval: it depends on who owns the token.
    NOT_APPROVED: facts.owner === order.offerer && !facts.isApproved,
    COUNTER_CHANGED: facts.counter !== BigInt(order.counter),
    CANCELLED: facts.isCancelled,
    FILLED: facts.isFilled,
    EXPIRED: nowSeconds >= Number(order.endTime),
    SIGNATURE_REFUSED: !isSigned,
  };
  return UNFILLABLE_REASONS.filter((reason) => applies[reason]);
}

/** Problems that no change of owner or approval can fix. */
export const isDead = (reasons: readonly UnfillableReason[]): boolean =>
  reasons.some((reason) => reason === "COUNTER_CHANGED" || reason === "CANCELLED" || reason === "FILLED");

export const SORTINGS = ["recent", "price", "priceDesc", "endsAt"] as const;
export type Sorting = (typeof SORTINGS)[number];
