import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { address, decimal, hexBytes } from "../../schemas/values.ts";
import { profileView } from "./profile-schemas.ts";

export const identityLinkAgent = defineRoute({
  name: "identity.linkAgent",
  method: "POST",
  path: "/api/agents/profile/link-agent",
  summary:
    "Links an agent of another ERC-8004 Identity registry, which the wallet owns or acts for, to its profile: profile, metadata and leaderboard show it, and feedback names it",
  access: "wallet",
  identity: "required",
  limits: LIMITS.prepare,
  body: z.strictObject({
    ...ownWallet,
    agentRegistry: address.meta({ description: "The registry, as signed" }),
    agentId: decimal,
    deadline: decimal.meta({ description: "Unix seconds, as signed; at most an hour ahead" }),
    signature: hexBytes.meta({ description: "Of `LinkAgent` (docs/signing.md)" }),
  }),
  response: z.object({ profile: profileView }),
  example: {
    request: {
      agentRegistry: EXAMPLES.contract,
      agentId: "22",
      deadline: EXAMPLES.deadline,
      signature: EXAMPLES.signature,
    },
    response: { profile: EXAMPLES.profile },
  },
  errors: [
    "NOT_FOUND",
    "CONTRACT_MISMATCH",
    "MESSAGE_EXPIRED",
    "SIGNATURE_INVALID",
    "AGENT_NOT_HELD",
    "CHAIN_UNAVAILABLE",
  ],
  idempotent: true,
  services: ["linkedAgents", "profiles"],
  handle: async ({ body: { walletAddress: _, ...link }, caller }, { linkedAgents, profiles }) => {
    await linkedAgents.link(caller.wallet, link);
    return profiles.upsert(caller.wallet, {});
  },
});
