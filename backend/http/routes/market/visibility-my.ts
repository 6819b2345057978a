import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { nameList, pageBody } from "../../schemas/pages.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { listingPage } from "./schemas.ts";

export const marketVisibilityMy = defineRoute({
  name: "market.visibilityMy",
  method: "POST",
  path: "/api/market/visibility/my",
  summary: "Your listings, newest first, each with the reason why it cannot be bought, if any",
  access: "wallet",
  limits: LIMITS.walletRead,
  body: z.strictObject({ ...ownWallet, ...pageBody }),
  response: listingPage,
  example: { response: nameList("listings", createExamplePage(EXAMPLES.listing)) },
  errors: ["CHAIN_UNAVAILABLE"],
  services: ["listings"],
  handle: async ({ body, caller }, { listings }) =>
    nameList("listings", await listings.listMine({ seller: caller.wallet, page: body.page, limit: body.limit })),
});
