import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";

export const readinessCheck = z.object({ name: z.string(), ok: z.boolean(), sentence: z.string() });

export const healthz = defineRoute({
  name: "operations.healthz",
  method: "GET",
  path: "/healthz",
  summary: "The process answers",
  access: "public",
  limits: LIMITS.publicRead,
  response: z.object({ status: z.literal("up") }),
  errors: [],
  plain: true,
  handle: async () => new Reply(200, JSON.stringify({ status: "up" }), { "Content-Type": "application/json" }),
});

export const readyz = defineRoute({
  name: "operations.readyz",
  method: "GET",
  path: "/readyz",
  summary: "Database, chain and signers can do their work; 503 with a sentence where not",
  access: "public",
  limits: LIMITS.publicRead,
  response: z.object({
    ready: z.boolean(),
    checks: z.array(readinessCheck),
  }),
  errors: [],
  plain: true,
  handle: async (_, { operations }) => {
    const readiness = await operations.readiness();
    return new Reply(readiness.ready ? 200 : 503, JSON.stringify(readiness), { "Content-Type": "application/json" });
  },
});
