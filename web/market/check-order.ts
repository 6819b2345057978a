/** An order of the service before it is signed or filled: it must be the sale that the page shows, and nothing else. */
import { canonicalJson } from "../../backend/domain/canonical-json.ts";
import { createOrder, type ListingTerms, type Order, type Royalty } from "../../backend/domain/market.ts";
import { ArcadeChainError } from "../../client/errors.ts";

/** What a person has agreed to. */
export type AgreedSale = Pick<ListingTerms, "seller" | "contract" | "tokenId" | "price" | "currency">;

/** The most that a collection's royalty takes of a price: `MAX_ROYALTY_BASIS_POINTS` of the contracts. */
const ROYALTY_SHARE_MAX = 10n;

/** The order's second payment, which is the royalty. */
function findRoyalty({ consideration: [, second] }: Order): Royalty | null {
  return second === undefined ? null : { receiver: second.recipient, amount: BigInt(second.startAmount) };
}

/** Hex has several spellings. */
const toComparable = (order: Order): string => canonicalJson(order).toLowerCase();

/** The order of this sale, with what only the service can choose: royalty, times, salt and counter. */
function createAgreedOrder(sale: AgreedSale, order: Order): Order | null {
  const royalty = findRoyalty(order);
  if (royalty !== null && royalty.amount * ROYALTY_SHARE_MAX > sale.price) return null;
  const { salt, counter, startTime, endTime } = order;
  return createOrder({
    ...sale,
    royalty,
    counter: BigInt(counter),
    salt: BigInt(salt),
    startTime: Number(startTime),
    endTime: Number(endTime),
  });
}

/** Throws `CALL_REFUSED` where the order differs from the sale in anything else. */
export function checkOrder(order: Order, sale: AgreedSale): void {
  const agreed = createAgreedOrder(sale, order);
  if (agreed !== null && toComparable(agreed) === toComparable(order)) return;
  throw new ArcadeChainError(
    "CALL_REFUSED",
    `The service's order is not the sale of token #${sale.tokenId} for this price; nothing was signed or sent.`,
  );
}
