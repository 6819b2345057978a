import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { pathTexts } from "../../schemas/values.ts";
import { createSvgResponse } from "./picture.ts";

export const metadataIdentityImage = defineRoute({
  name: "metadata.identityImage",
  method: "GET",
  path: "/api/metadata/identity/{holder}.svg",
  summary: "The picture of an agent, by wallet address or identity id",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ holder: pathTexts.holder }),
  response: z.string(),
  example: { response: "<svg …" },
  errors: ["NOT_FOUND"],
  plain: true,
  media: "image/svg+xml",
  services: ["metadata"],
  handle: async ({ params }, { metadata }) => createSvgResponse(await metadata.drawIdentityImage(params.holder)),
});
