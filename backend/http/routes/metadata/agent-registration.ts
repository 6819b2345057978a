import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";

export const metadataAgentRegistration = defineRoute({
  name: "metadata.agentRegistration",
  method: "GET",
  path: "/.well-known/agent-registration.json",
  summary: "This service's own registration file (ERC-8004)",
  access: "public",
  limits: LIMITS.publicRead,
  response: z.record(z.string(), z.unknown()),
  errors: [],
  plain: true,
  handle: async (_, { metadata }) =>
    new Reply(200, JSON.stringify(metadata.agentRegistration()), {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=300",
    }),
});
