import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { address, pageBody } from "../../schemas.ts";
import { listingPage } from "./schemas.ts";

export const marketVisibilityMy = defineRoute({
  name: "market.visibilityMy",
  method: "POST",
  path: "/api/market/visibility/my",
  summary: "Your listings, newest first, with what keeps each from being bought",
  access: "wallet",
  limits: LIMITS.walletRead,
  body: z.strictObject({ walletAddress: address.optional(), ...pageBody }),
  response: listingPage,
  errors: ["CHAIN_UNAVAILABLE"],
  handle: ({ body, caller }, { market }) => market.mine({ seller: caller.wallet, page: body.page, limit: body.limit }),
});
