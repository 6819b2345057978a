import { z } from "zod";
import { ArcadeError } from "../../../domain/errors.ts";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";

export const identityMetadata = defineRoute({
  name: "identity.metadata",
  method: "GET",
  path: "/api/metadata/identity/{digest}.json",
  summary: "A metadata document, named by the sha256 of its bytes",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ digest: z.string() }),
  response: z.record(z.string(), z.unknown()),
  errors: ["NOT_FOUND"],
  plain: true,
  handle: async ({ params }, { identity }) => {
    const bytes = await identity.findMetadata(params.digest.toLowerCase());
    if (bytes === null) throw new ArcadeError("NOT_FOUND", "There is no metadata document with this digest.");
    return new Reply(200, bytes, {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  },
});
