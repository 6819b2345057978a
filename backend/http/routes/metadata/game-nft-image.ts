import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { slug } from "../../schemas/requests.ts";
import { pathTexts } from "../../schemas/values.ts";
import { createSvgResponse } from "./picture.ts";

export const metadataGameNftImage = defineRoute({
  name: "metadata.gameNftImage",
  method: "GET",
  path: "/api/metadata/{slug}/{tokenId}.svg",
  summary: "The picture of a game NFT",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ slug, tokenId: pathTexts.tokenId }),
  response: z.string(),
  example: { response: "<svg …" },
  errors: ["NOT_FOUND"],
  plain: true,
  media: "image/svg+xml",
  services: ["metadata"],
  handle: async ({ params }, { metadata }) =>
    createSvgResponse(await metadata.drawGameNftImage(params.slug, params.tokenId)),
});
