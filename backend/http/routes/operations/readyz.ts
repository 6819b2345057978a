import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { readinessCheck } from "./schemas.ts";

export const operationsReadyz = defineRoute({
  name: "operations.readyz",
  method: "GET",
  path: "/readyz",
  summary:
    "Whether this process should get requests; 503 if not. A check that fails but is not required is an alarm only",
  access: "public",
  limits: LIMITS.checks,
  response: z.object({
    ready: z.boolean(),
    checks: z.array(readinessCheck),
  }),
  example: {
    response: { ready: true, checks: [{ name: "database", ok: true, sentence: "fine", required: true }] },
  },
  plain: true,
  services: ["operations"],
  handle: async (_, { operations }) => {
    const readiness = await operations.getReadiness();
    return new HttpResponse(readiness.ready ? 200 : 503, JSON.stringify(readiness), {
      "Content-Type": "application/json",
    });
  },
});
