import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";

export const metrics = defineRoute({
  name: "operations.metrics",
  method: "GET",
  path: "/metrics",
  summary: "Prometheus metrics, for loopback or the configured address alone",
  access: "public",
  limits: LIMITS.publicRead,
  response: z.string(),
  errors: ["NOT_FOUND"],
  plain: true,
  media: "text/plain",
  handle: async ({ peer }, { operations }) =>
    new Reply(200, await operations.metrics(peer), { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }),
});
