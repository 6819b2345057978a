import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { address } from "../../schemas.ts";
import { profileFields, profileView } from "./profile-schemas.ts";

export const identityProfileUpsert = defineRoute({
  name: "identity.profileUpsert",
  method: "POST",
  path: "/api/agents/profile/upsert",
  summary: "Writes the caller's profile; fields left out keep their value",
  access: "wallet",
  identity: "cached",
  limits: LIMITS.prepare,
  body: z.strictObject({ walletAddress: address.optional(), ...profileFields }),
  response: z.object({ profile: profileView }),
  errors: ["IDENTITY_REQUIRED", "CHAIN_UNAVAILABLE"],
  creates: true,
  remember: (answer) => answer,
  handle: ({ body: { walletAddress: _, ...change }, caller }, { profiles }) => profiles.upsert(caller.wallet, change),
});
