import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { decimal, finality, gameParams, hash32 } from "../../schemas.ts";

export const nftRecord = defineRoute({
  name: "nft.record",
  method: "POST",
  path: "/api/games/{slug}/nft/record",
  summary: "Records a confirmed mint or upgrade by its transaction",
  access: "wallet",
  limits: LIMITS.prepare,
  params: gameParams,
  body: z.strictObject({ txHash: hash32 }),
  response: z.object({
    recorded: z.literal(true),
    action: z.enum(["mint", "upgrade"]),
    tokenId: decimal,
    tier: z.int(),
    score: z.int(),
    finality,
  }),
  errors: ["GAME_NOT_FOUND", "TX_NOT_FOUND", "TX_FAILED", "TX_MISMATCH", "CHAIN_UNAVAILABLE"],
  handle: ({ params, body, caller }, { nft }) =>
    nft.record({ wallet: caller.wallet, slug: params.slug, txHash: body.txHash }),
});
