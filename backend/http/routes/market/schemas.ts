/** Forms shared by the market's routes. */
import { z } from "zod";
import { UNFILLABLE_REASONS } from "../../../../domain/market.ts";
import { namedPageOut } from "../../schemas/pages.ts";
import { addressOut, decimal, hexOut, isoTime } from "../../schemas/values.ts";

const item = z.object({
  itemType: z.int().meta({ description: "0 the chain's coin, 1 ERC-20, 2 ERC-721" }),
  token: addressOut,
  identifierOrCriteria: decimal,
  startAmount: decimal,
  endAmount: decimal,
});

export const order = z
  .object({
    offerer: addressOut,
    zone: addressOut,
    offer: z.array(item),
    consideration: z.array(item.extend({ recipient: addressOut })),
    orderType: z.int(),
    startTime: decimal,
    endTime: decimal,
    zoneHash: hexOut,
    salt: decimal,
    conduitKey: hexOut,
    counter: decimal,
  })
  .meta({ id: "Order", description: "Seaport 1.6 OrderComponents" });

const listing = z
  .object({
    listingId: hexOut.meta({ description: "The order's hash" }),
    collection: z.string().meta({ example: "identity" }),
    contract: addressOut,
    tokenId: decimal,
    seller: addressOut,
    price: decimal.meta({ description: "The buyer's total price, royalty included" }),
    currency: addressOut.meta({ description: "The zero address stands for the chain's coin" }),
    visible: z.boolean(),
    createdAt: isoTime,
    endsAt: isoTime,
    order,
    signature: hexOut.nullable(),
    reasons: z.array(z.enum(UNFILLABLE_REASONS)).meta({ description: "Why the listing cannot be bought now" }),
  })
  .meta({ id: "Listing" });

export const listingPage = z.object(namedPageOut("listings", listing)).meta({ id: "ListingPage" });
