import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { LISTING_TIMES, NATIVE_COIN, PRICE_LIMIT } from "../../../../domain/market.ts";
import { createCall } from "../../../../domain/typed-data/calls.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { call, typedData } from "../../schemas/calls.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { address, decimal, hexOut } from "../../schemas/values.ts";
import { order } from "./schemas.ts";

const UINT256_LIMIT = 2n ** 256n;

/** Checks run on malformed text too: they must not throw. */
const isBetween = (min: bigint, limit: bigint) => (text: string) =>
  /^\d+$/.test(text) && BigInt(text) >= min && BigInt(text) < limit;

export const marketListingPayload = defineRoute({
  name: "market.listingPayload",
  method: "POST",
  path: "/api/market/listing-payload",
  summary: "The Seaport order that sells one of your tokens, for your wallet to sign",
  access: "wallet",
  identity: "required",
  limits: LIMITS.market,
  body: z.strictObject({
    ...ownWallet,
    collection: z.string().meta({ description: "`identity` or a game's slug", example: "identity" }),
    tokenId: decimal.refine(isBetween(0n, UINT256_LIMIT), { error: "expected a uint256" }),
    price: decimal.refine(isBetween(1n, PRICE_LIMIT), { error: "expected 1 to 2^128 - 1" }).meta({
      pattern: "^[1-9][0-9]{0,37}$",
      description: "The buyer's total price, in base units",
      example: "1000000000000000000",
    }),
    currency: address.default(NATIVE_COIN),
    durationSeconds: z.int().min(1).max(LISTING_TIMES.maxSeconds).default(LISTING_TIMES.defaultSeconds),
  }),
  response: z.object({ listingId: hexOut, order, typedData, approval: call.nullable() }),
  example: {
    request: { collection: EXAMPLES.slug, tokenId: "1", price: EXAMPLES.listing.price },
    response: {
      listingId: EXAMPLES.digest,
      order: EXAMPLES.order,
      typedData: EXAMPLES.orderTypedData,
      approval: createCall(EXAMPLES.chainId, EXAMPLES.contract, "setApprovalForAll", [EXAMPLES.contract, true]),
    },
  },
  errors: ["GAME_NOT_FOUND", "LISTING_INVALID", "CHAIN_UNAVAILABLE"],
  idempotent: true,
  services: ["market"],
  handle: ({ body: { walletAddress: _, ...terms }, caller }, { market }) =>
    market.prepare({ ...terms, seller: caller.wallet }),
});
