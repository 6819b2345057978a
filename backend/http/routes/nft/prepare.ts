import { z } from "zod";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { EXAMPLES, MINT_NFT_CALL } from "../../examples.ts";
import { defineRoute } from "../../route.ts";
import { decimal, gameParams, ownWallet, sessionIdText, signedCall } from "../../schemas.ts";

/** A uint256 in decimal digits. */
const tokenIdText = z.string().regex(/^(0|[1-9]\d{0,76})$/, "expected a token id in decimal digits");

const progress = { score: z.int(), tier: z.int(), tokenId: decimal.nullable() };

export const nftPrepare = defineRoute({
  name: "nft.prepare",
  method: "POST",
  path: "/api/games/{slug}/nft/prepare",
  summary: "The signed mint or upgrade of the game's NFT, when a score on chain is good for one",
  access: "wallet",
  identity: "required",
  limits: LIMITS.signedPrepare,
  params: gameParams,
  body: z.strictObject({ ...ownWallet, sessionId: sessionIdText.optional(), tokenId: tokenIdText.optional() }),
  response: z.union([
    signedCall.and(z.object({ action: z.enum(["mint", "upgrade"]), ...progress })),
    z.object({
      action: z.literal("none"),
      ...progress,
      reason: z.enum(["NOT_NEW_HIGH_SCORE", "BELOW_FIRST_TIER", "ALREADY_RECORDED", "TOKEN_TRANSFERRED"]),
    }),
  ]),
  example: { response: { action: "mint", score: EXAMPLES.score, tier: 1, tokenId: null, ...MINT_NFT_CALL } },
  otherExamples: {
    none: { response: { action: "none", score: 12, tier: 0, tokenId: null, reason: "BELOW_FIRST_TIER" } },
  },
  errors: [
    "NOT_FOUND",
    "FORBIDDEN",
    "SESSION_NOT_FOUND",
    "SESSION_NOT_ENDED",
    "SOURCE_NOT_ELIGIBLE",
    "SNAPSHOT_REQUIRED",
    "NOTHING_TO_SNAPSHOT",
    "REPLAY_MISMATCH",
    "SIGNER_UNAVAILABLE",
    "CHAIN_UNAVAILABLE",
  ],
  services: ["nft"],
  handle: ({ params, body, caller }, { nft }) =>
    nft.prepare({
      wallet: caller.wallet,
      slug: params.slug,
      sessionId: body.sessionId ?? null,
      tokenId: body.tokenId ?? null,
    }),
});
