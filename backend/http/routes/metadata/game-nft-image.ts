import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { slug } from "../../schemas.ts";
import { pictureReply } from "./picture.ts";

export const metadataGameNftImage = defineRoute({
  name: "metadata.gameNftImage",
  method: "GET",
  path: "/api/metadata/{slug}/{tokenId}.svg",
  summary: "The picture of a game NFT",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ slug, tokenId: z.string() }),
  response: z.string(),
  errors: ["GAME_NOT_FOUND", "NOT_FOUND", "CHAIN_UNAVAILABLE"],
  plain: true,
  media: "image/svg+xml",
  handle: async ({ params }, { metadata }) => pictureReply(await metadata.gameNftImage(params.slug, params.tokenId)),
});
