import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { decimal, gameParams, sessionIdText, signedCall } from "../../schemas.ts";

export const nftPrepare = defineRoute({
  name: "nft.prepare",
  method: "POST",
  path: "/api/games/{slug}/nft/prepare",
  summary: "The signed mint or upgrade of the game's NFT, when a score on chain is good for one",
  access: "wallet",
  identity: "cached",
  limits: LIMITS.prepare,
  params: gameParams,
  body: z.strictObject({ sessionId: sessionIdText.optional() }),
  response: signedCall.partial().extend({
    action: z.enum(["mint", "upgrade", "none"]),
    score: z.int(),
    tier: z.int(),
    tokenId: decimal.nullable(),
    reason: z.enum(["NOT_NEW_HIGH_SCORE", "BELOW_FIRST_TIER", "ALREADY_RECORDED", "TOKEN_TRANSFERRED"]).optional(),
  }),
  errors: [
    "GAME_NOT_FOUND",
    "IDENTITY_REQUIRED",
    "SESSION_NOT_FOUND",
    "SESSION_NOT_ENDED",
    "SOURCE_NOT_ELIGIBLE",
    "SNAPSHOT_REQUIRED",
    "CHAIN_UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
  ],
  handle: async ({ params, body, caller }, { nft, identity }) =>
    nft.prepare({
      wallet: caller.wallet,
      agentId: await identity.requireIdentity(caller.wallet),
      slug: params.slug,
      sessionId: body.sessionId ?? null,
    }),
});
