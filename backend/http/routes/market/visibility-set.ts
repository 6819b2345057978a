import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { hash32, hexBytes, hexOut } from "../../schemas/values.ts";

/** Contract wallets with many owners need this many bytes. */
const SIGNATURE_MAX_BYTES = 2048;

export const marketVisibilitySet = defineRoute({
  name: "market.visibilitySet",
  method: "POST",
  path: "/api/market/visibility/set",
  summary: "Publishes a listing (the first time with its signature) or hides it",
  access: "wallet",
  identity: "required",
  limits: LIMITS.market,
  body: z.strictObject({
    ...ownWallet,
    listingId: hash32,
    visible: z.boolean(),
    signature: hexBytes
      .refine((text) => text.length <= 2 + 2 * SIGNATURE_MAX_BYTES, {
        error: `expected at most ${SIGNATURE_MAX_BYTES} bytes`,
      })
      .optional(),
  }),
  response: z.object({ listingId: hexOut, visible: z.boolean() }),
  example: {
    request: { listingId: EXAMPLES.digest, visible: true, signature: EXAMPLES.signature },
    response: { listingId: EXAMPLES.digest, visible: true },
  },
  errors: ["NOT_FOUND", "SIGNATURE_INVALID", "LISTING_INVALID", "CHAIN_UNAVAILABLE"],
  services: ["market"],
  handle: ({ body: { listingId, visible, signature = null }, caller }, { market }) =>
    market.setVisible({ listingId, visible, signature, seller: caller.wallet }),
});
