import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { slug } from "../../schemas/requests.ts";
import { pathTexts } from "../../schemas/values.ts";
import { createSvgResponse } from "./picture.ts";

export const metadataGameTierImage = defineRoute({
  name: "metadata.gameTierImage",
  method: "GET",
  path: "/api/metadata/{slug}/tiers/{tier}.svg",
  summary: "An example picture of a tier's NFT; it need not be minted",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ slug, tier: pathTexts.tier }),
  response: z.string(),
  example: { response: "<svg …" },
  errors: ["NOT_FOUND"],
  plain: true,
  media: "image/svg+xml",
  services: ["metadata"],
  handle: async ({ params }, { metadata }) => createSvgResponse(metadata.drawGameTierImage(params.slug, params.tier)),
});
