import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { address, decimal } from "../../schemas/values.ts";
import { profileView } from "./profile-schemas.ts";

export const identityProfileGet = defineRoute({
  name: "identity.profileGet",
  method: "POST",
  path: "/api/agents/profile/get",
  summary: "An agent's profile, by its wallet or its identity",
  access: "public",
  limits: LIMITS.publicRead,
  body: z
    .strictObject({ walletAddress: address.optional(), agentId: decimal.optional() })
    .refine(({ walletAddress, agentId }) => (walletAddress === undefined) !== (agentId === undefined), {
      error: "expected either walletAddress or agentId",
    })
    .meta({ oneOf: [{ required: ["walletAddress"] }, { required: ["agentId"] }] }),
  response: z.object({ profile: profileView.nullable() }),
  example: { request: { walletAddress: EXAMPLES.wallet }, response: { profile: EXAMPLES.profile } },
  services: ["profiles"],
  handle: ({ body }, { profiles }) => profiles.get(body),
});
