import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { hash32, hexBytes, hexOut } from "../../schemas.ts";

/** Bytes: contract wallets of many owners need some. */
const SIGNATURE_MAX_BYTES = 2048;

export const marketVisibilitySet = defineRoute({
  name: "market.visibilitySet",
  method: "POST",
  path: "/api/market/visibility/set",
  summary: "Publishes a listing (the first time with its signature) or hides it",
  access: "wallet",
  identity: "cached",
  limits: LIMITS.market,
  body: z.strictObject({
    listingId: hash32,
    visible: z.boolean(),
    signature: hexBytes
      .refine((text) => text.length <= 2 + 2 * SIGNATURE_MAX_BYTES, {
        error: `expected at most ${SIGNATURE_MAX_BYTES} bytes`,
      })
      .optional(),
  }),
  response: z.object({ listingId: hexOut, visible: z.boolean() }),
  errors: ["NOT_FOUND", "IDENTITY_REQUIRED", "SIGNATURE_INVALID", "LISTING_INVALID", "CHAIN_UNAVAILABLE"],
  handle: ({ body, caller }, { market }) =>
    market.setVisible({ ...body, signature: body.signature ?? null, seller: caller.wallet }),
});
