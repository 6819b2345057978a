import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";

export const operationsHealthz = defineRoute({
  name: "operations.healthz",
  method: "GET",
  path: "/healthz",
  summary: "The process answers",
  access: "public",
  limits: LIMITS.checks,
  response: z.object({ status: z.literal("up") }),
  example: { response: { status: "up" } },
  plain: true,
  services: [],
  handle: async () => new HttpResponse(200, JSON.stringify({ status: "up" }), { "Content-Type": "application/json" }),
});
