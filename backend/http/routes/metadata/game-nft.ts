import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";
import { slug } from "../../schemas.ts";

export const metadataGameNft = defineRoute({
  name: "metadata.gameNft",
  method: "GET",
  path: "/api/metadata/{slug}/{tokenId}.json",
  summary: "The metadata document of a game NFT",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ slug, tokenId: z.string() }),
  response: z.record(z.string(), z.unknown()),
  errors: ["GAME_NOT_FOUND", "NOT_FOUND", "CHAIN_UNAVAILABLE"],
  plain: true,
  handle: async ({ params }, { metadata }) =>
    new Reply(200, JSON.stringify(await metadata.gameNft(params.slug, params.tokenId)), {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=60",
    }),
});
