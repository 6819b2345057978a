import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";

export const statsSubscribe = defineRoute({
  name: "stats.subscribe",
  method: "POST",
  path: "/api/newsletter/subscribe",
  summary: "Subscribes an address to the newsletter; the response is the same whether it was known or not",
  access: "public",
  limits: LIMITS.newsletter,
  body: z.strictObject({
    email: z
      .string()
      .trim()
      .pipe(z.email().max(254))
      .meta({ format: "email", maxLength: 254, pattern: z.regexes.email.source }),
  }),
  response: z.object({ subscribed: z.literal(true) }),
  example: { request: { email: "agent@example.org" }, response: { subscribed: true } },
  idempotent: true,
  services: ["stats"],
  handle: ({ body }, { stats }) => stats.subscribe(body.email),
});
