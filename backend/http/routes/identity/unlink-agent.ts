import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { profileView } from "./profile-schemas.ts";

export const identityUnlinkAgent = defineRoute({
  name: "identity.unlinkAgent",
  method: "POST",
  path: "/api/agents/profile/unlink-agent",
  summary: "Ends the link of the caller's profile to an agent of another registry",
  access: "wallet",
  identity: "required",
  limits: LIMITS.prepare,
  body: z.strictObject(ownWallet),
  response: z.object({ profile: profileView }),
  example: { request: {}, response: { profile: { ...EXAMPLES.profile, linkedAgent: null } } },
  errors: [],
  idempotent: true,
  services: ["linkedAgents", "profiles"],
  handle: async ({ caller }, { linkedAgents, profiles }) => {
    await linkedAgents.unlink(caller.wallet);
    return profiles.upsert(caller.wallet, {});
  },
});
