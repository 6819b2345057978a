/** Checks a service's order before it is signed or filled: it must be exactly the sale that the page shows. */
import type { Address } from "viem";
import { ArcadeChainError } from "../../client/errors.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import {
  createOrder,
  LISTING_TIMES,
  type ListingTerms,
  NATIVE_COIN,
  type Order,
  type Royalty,
} from "../../domain/market.ts";

/** What the user has agreed to. */
export type AgreedSale = Pick<ListingTerms, "seller" | "contract" | "tokenId" | "price" | "currency">;

/** The most that a collection's royalty takes of a price: `MAX_ROYALTY_BASIS_POINTS` of the contracts. */
const ROYALTY_PERCENT_MAX = 10n;

/** The order's second payment, which is the royalty. */
function findRoyalty({ consideration: [, second] }: Order): Royalty | null {
  return second === undefined ? null : { receiver: second.recipient, amount: BigInt(second.startAmount) };
}

/** An address may be written with or without its checksum. */
const toComparable = (order: Order): string => canonicalJson(order).toLowerCase();

/** The order that this sale must have, with the values that the service chooses: royalty, times, salt and counter. */
function createAgreedOrder(sale: AgreedSale, order: Order): Order | null {
  const royalty = findRoyalty(order);
  if (royalty !== null && royalty.amount * 100n > sale.price * ROYALTY_PERCENT_MAX) return null;
  const { salt, counter, startTime, endTime } = order;
  return createOrder({
    ...sale,
    royalty,
    counter: BigInt(counter),
    salt: BigInt(salt),
    startTime: Number(BigInt(startTime)),
    endTime: Number(BigInt(endTime)),
  });
}

function isSale(order: Order, sale: AgreedSale): boolean {
  try {
    const agreed = createAgreedOrder(sale, order);
    return agreed !== null && toComparable(agreed) === toComparable(order);
  } catch {
    // The order is malformed: an invalid number or a missing field.
    return false;
  }
}

const createRefusal = (reason: string) =>
  new ArcadeChainError("CALL_REFUSED", `${reason}; nothing was signed or sent.`);

/** Throws `CALL_REFUSED` if the order differs from the sale in anything else. */
export function checkOrder(order: Order, sale: AgreedSale): void {
  if (!isSale(order, sale))
    throw createRefusal(`The service's order is not the sale of token #${sale.tokenId} for this price`);
}

/** `checkOrder` for the seller, whom the signature binds until the order ends: at most the longest listing from now. */
export function checkOrderToSign(order: Order, sale: AgreedSale, nowSeconds: number): void {
  checkOrder(order, sale);
  if (Number(order.endTime) - nowSeconds > LISTING_TIMES.maxSeconds)
    throw createRefusal(`The service's order of token #${sale.tokenId} lasts longer than any listing`);
}

/** Throws `CALL_REFUSED` for a currency that the page cannot show: it shows only prices in ether and in the token. */
export function checkCurrency(currency: Address, token: Address): void {
  if (currency === NATIVE_COIN || currency.toLowerCase() === token.toLowerCase()) return;
  throw createRefusal("The price is not in the currency shown");
}
