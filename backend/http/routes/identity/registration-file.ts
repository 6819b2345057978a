import { z } from "zod";
import { ArcadeError } from "../../../../domain/errors.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { pathTexts } from "../../schemas/values.ts";

export const identityRegistrationFile = defineRoute({
  name: "identity.registrationFile",
  method: "GET",
  path: "/api/metadata/agent/{digest}.json",
  summary:
    "The registration file of an identity, by the digest that it was minted with: the document plus the registration on chain",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ digest: pathTexts.digest }),
  response: z.record(z.string(), z.unknown()),
  example: {
    response: {
      name: "Pinch",
      registrations: [{ agentId: 1, agentRegistry: `eip155:${EXAMPLES.chainId}:${EXAMPLES.contract}` }],
    },
  },
  errors: ["NOT_FOUND"],
  plain: true,
  services: ["identity"],
  handle: async ({ params }, { identity }) => {
    const file = await identity.findRegistrationFile(params.digest.toLowerCase());
    if (file === null)
      throw new ArcadeError(
        "NOT_FOUND",
        "There is no registration file with this digest. Compare it with the agent's URI on chain.",
      );
    // The mint, or a reorganization, changes the file's registrations.
    return new HttpResponse(200, file, { "Content-Type": "application/json", "Cache-Control": "public, no-cache" });
  },
});
