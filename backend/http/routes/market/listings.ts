import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { SORTINGS } from "../../../../domain/market.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { nameList, pageQuery } from "../../schemas/pages.ts";
import { address } from "../../schemas/values.ts";
import { listingPage } from "./schemas.ts";

export const marketListings = defineRoute({
  name: "market.listings",
  method: "GET",
  path: "/api/market/listings",
  summary: "Listings that can be bought now, with order and signature for any Seaport client",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({
    ...pageQuery,
    collection: z.string().meta({ description: "`identity` or a game's slug", example: "identity" }).optional(),
    seller: address.optional(),
    sortBy: z.enum(SORTINGS).default("recent"),
  }),
  response: listingPage,
  example: { response: nameList("listings", createExamplePage(EXAMPLES.listing)) },
  errors: ["GAME_NOT_FOUND", "CHAIN_UNAVAILABLE"],
  services: ["listings"],
  handle: async ({ query }, { listings }) => {
    const page = await listings.listOpen({
      collection: query.collection ?? null,
      seller: query.seller ?? null,
      sorting: query.sortBy,
      page: query.page,
      limit: query.limit,
    });
    return nameList("listings", page);
  },
});
