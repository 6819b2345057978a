import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { reason } from "./schemas.ts";

const response = z.object({ draining: z.boolean() });

export const consoleDraining = defineRoute({
  name: "console.draining",
  method: "GET",
  path: "/api/console/drain",
  summary: "Whether the service rejects new work",
  access: "admin",
  limits: LIMITS.publicRead,
  query: z.strictObject({}),
  response,
  example: { response: { draining: false } },
  errors: [],
  services: ["console"],
  handle: async (_, { console }) => console.getDraining(),
});

export const consoleDrain = defineRoute({
  name: "console.drain",
  method: "POST",
  path: "/api/console/drain",
  summary: "Rejects new work until draining is ended; running games go on. Written to the audit",
  access: "admin",
  limits: LIMITS.publicRead,
  body: z.strictObject({ draining: z.boolean(), reason }),
  response,
  example: { request: { draining: true, reason: "update" }, response: { draining: true } },
  errors: [],
  services: ["console"],
  handle: ({ body }, { console }) => console.setDraining(body.draining, body.reason),
});
