import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { toRelayResponse } from "../../responses/relay-response.ts";
import { EXAMPLES, MINT_NFT_CALL } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { signedCall } from "../../schemas/calls.ts";
import { relayFields } from "../../schemas/chain.ts";
import { gameParams, ownWallet, sponsor } from "../../schemas/requests.ts";
import { decimal, sessionIdText } from "../../schemas/values.ts";

/** A uint256 in decimal digits. */
const tokenIdText = z.string().regex(/^(0|[1-9]\d{0,76})$/, "expected a token id in decimal digits");

const progress = { score: z.int(), tier: z.int(), tokenId: decimal.nullable() };

export const nftPrepare = defineRoute({
  name: "nft.prepare",
  method: "POST",
  path: "/api/games/{slug}/nft/prepare",
  summary: "The signed mint or upgrade of the game's NFT, if a score on chain reaches a tier",
  access: "wallet",
  identity: "required",
  limits: LIMITS.signedPrepare,
  params: gameParams,
  body: z.strictObject({
    ...ownWallet,
    sessionId: sessionIdText.optional(),
    tokenId: tokenIdText.optional(),
    withSnapshot: z.boolean().default(false).meta({
      description:
        "For a wallet that sends this call and the snapshot of `sessionId` as one batch (EIP-5792): the score need not be on chain yet",
    }),
    sponsor,
  }),
  response: z.union([
    signedCall.and(z.object({ action: z.enum(["mint", "upgrade"]), ...progress })),
    z.object({ action: z.enum(["mint", "upgrade"]), ...progress, ...relayFields }),
    z.object({
      action: z.literal("none"),
      ...progress,
      reason: z.enum(["NOT_NEW_HIGH_SCORE", "BELOW_FIRST_TIER", "ALREADY_RECORDED", "TOKEN_TRANSFERRED"]),
    }),
  ]),
  example: { response: { action: "mint", score: EXAMPLES.score, tier: 1, tokenId: null, ...MINT_NFT_CALL } },
  otherExamples: {
    sponsored: {
      request: { sponsor: true },
      response: { action: "mint", score: EXAMPLES.score, tier: 1, tokenId: null, ...EXAMPLES.relay },
    },
    none: { response: { action: "none", score: 12, tier: 0, tokenId: null, reason: "BELOW_FIRST_TIER" } },
  },
  statuses: [200, 202],
  errors: [
    "SPONSORSHIP_EXHAUSTED",
    "TX_FAILED",
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
  services: ["nft", "relays"],
  handle: async ({ params, body, caller, ip }, { nft, relays }) => {
    const { wallet } = caller;
    const { sessionId = null, tokenId = null, withSnapshot } = body;
    const prepare = () => nft.prepare({ wallet, slug: params.slug, sessionId, tokenId, withSnapshot });
    if (!body.sponsor) return prepare();
    return toRelayResponse(await relays.sponsor({ kind: "nft", wallet, ip }, prepare));
  },
});
