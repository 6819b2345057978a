import { z } from "zod";
import { ArcadeError } from "../../../../domain/errors.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { pathTexts } from "../../schemas/values.ts";

export const identityMetadata = defineRoute({
  name: "identity.metadata",
  method: "GET",
  path: "/api/metadata/identity/{digest}.json",
  summary: "A metadata document, named by the sha256 of its bytes",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ digest: pathTexts.digest }),
  response: z.record(z.string(), z.unknown()),
  example: { response: { name: "Pinch", description: "An agent of the arcade." } },
  errors: ["NOT_FOUND"],
  plain: true,
  services: ["identity"],
  handle: async ({ params }, { identity }) => {
    const bytes = await identity.findMetadata(params.digest.toLowerCase());
    if (bytes === null)
      throw new ArcadeError(
        "NOT_FOUND",
        "There is no metadata document with this digest. Compare it with the agentURI on chain.",
      );
    return new HttpResponse(200, bytes, {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  },
});
