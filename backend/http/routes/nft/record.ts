import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { finality } from "../../schemas/chain.ts";
import { gameParams, ownWallet } from "../../schemas/requests.ts";
import { decimal, hash32 } from "../../schemas/values.ts";

export const nftRecord = defineRoute({
  name: "nft.record",
  method: "POST",
  path: "/api/games/{slug}/nft/record",
  summary: "Records a confirmed mint or upgrade by its transaction",
  access: "wallet",
  limits: LIMITS.prepare,
  params: gameParams,
  body: z.strictObject({ ...ownWallet, txHash: hash32 }),
  response: z.object({
    recorded: z.literal(true),
    action: z.enum(["mint", "upgrade"]),
    tokenId: decimal,
    tier: z.int(),
    score: z.int(),
    finality,
  }),
  example: {
    request: { txHash: EXAMPLES.digest },
    response: { recorded: true, action: "mint", tokenId: "1", tier: 1, score: EXAMPLES.score, finality: "included" },
  },
  errors: ["TX_NOT_FOUND", "TX_FAILED", "TX_MISMATCH", "CHAIN_UNAVAILABLE"],
  services: ["nft"],
  handle: ({ params, body, caller }, { nft }) =>
    nft.record({ wallet: caller.wallet, slug: params.slug, txHash: body.txHash }),
});
