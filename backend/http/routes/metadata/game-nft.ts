import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { slug } from "../../schemas/requests.ts";
import { pathTexts } from "../../schemas/values.ts";

export const metadataGameNft = defineRoute({
  name: "metadata.gameNft",
  method: "GET",
  path: "/api/metadata/{slug}/{tokenId}.json",
  summary: "The metadata document of a game NFT",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ slug, tokenId: pathTexts.tokenId }),
  response: z.record(z.string(), z.unknown()),
  example: { response: { name: "Shell Runner #1", attributes: [{ trait_type: "Score", value: EXAMPLES.score }] } },
  errors: ["NOT_FOUND"],
  plain: true,
  services: ["metadata"],
  handle: async ({ params }, { metadata }) =>
    new HttpResponse(200, JSON.stringify(await metadata.getGameNftMetadata(params.slug, params.tokenId)), {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=60",
    }),
});
