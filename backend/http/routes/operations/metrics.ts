import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";

export const operationsMetrics = defineRoute({
  name: "operations.metrics",
  method: "GET",
  path: "/metrics",
  summary: "Prometheus metrics, only for the configured address or token",
  access: "public",
  limits: LIMITS.checks,
  response: z.string(),
  example: { response: "# HELP …" },
  errors: ["NOT_FOUND"],
  plain: true,
  media: "text/plain",
  services: ["operations"],
  handle: async ({ peer }, { operations }) =>
    new HttpResponse(200, await operations.getMetricsText(peer), {
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
    }),
});
