import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { address, decimal } from "../../schemas.ts";
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
    }),
  exampleBody: { walletAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
  response: z.object({ profile: profileView.nullable() }),
  errors: ["CHAIN_UNAVAILABLE"],
  handle: ({ body }, { profiles }) => profiles.get(body),
});
