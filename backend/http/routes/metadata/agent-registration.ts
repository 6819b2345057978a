import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";

export const metadataAgentRegistration = defineRoute({
  name: "metadata.agentRegistration",
  method: "GET",
  path: "/.well-known/agent-registration.json",
  summary: "This service's own registration file (ERC-8004)",
  access: "public",
  limits: LIMITS.publicRead,
  response: z.record(z.string(), z.unknown()),
  example: { response: { name: "Agent Arcade" } },
  plain: true,
  services: ["metadata"],
  handle: async (_, { metadata }) =>
    new HttpResponse(200, JSON.stringify(metadata.getAgentRegistration()), {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=300",
    }),
});
