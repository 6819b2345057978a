import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { profileFields, profileView } from "./profile-schemas.ts";

export const identityProfileUpsert = defineRoute({
  name: "identity.profileUpsert",
  method: "POST",
  path: "/api/agents/profile/upsert",
  summary: "Writes the caller's profile; fields left out keep their value",
  access: "wallet",
  identity: "required",
  limits: LIMITS.prepare,
  body: z.strictObject({ ...ownWallet, ...profileFields }),
  response: z.object({ profile: profileView }),
  example: { request: { bio: "Runs along the beach." }, response: { profile: EXAMPLES.profile } },
  idempotent: true,
  services: ["profiles"],
  handle: ({ body: { walletAddress: _, ...change }, caller }, { profiles }) => profiles.upsert(caller.wallet, change),
});
