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
        "Expected the digest of a stored metadata document, received another one. Read it from agentURI on chain.",
      );
    return new HttpResponse(200, bytes, {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  },
});
