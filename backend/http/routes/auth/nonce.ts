import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { address, gameParams, isoTime } from "../../schemas.ts";

export const authNonce = defineRoute({
  name: "auth.nonce",
  method: "POST",
  path: "/api/games/{slug}/auth/nonce",
  summary: "A one-time nonce and the complete ERC-4361 message to sign",
  access: "public",
  limits: LIMITS.signIn,
  params: gameParams,
  body: z.strictObject({ walletAddress: address }),
  response: z.object({
    nonce: z.string(),
    message: z.string(),
    domain: z.string(),
    uri: z.string(),
    chainId: z.int(),
    issuedAt: isoTime,
    expiresAt: isoTime,
  }),
  errors: ["GAME_NOT_FOUND"],
  handle: ({ params, body }, { auth }) => auth.nonce({ slug: params.slug, walletAddress: body.walletAddress }),
});
