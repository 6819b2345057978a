import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { isoTime } from "../../schemas/values.ts";
import { limitQuery } from "./schemas.ts";

export const consoleErrors = defineRoute({
  name: "console.errors",
  method: "GET",
  path: "/api/console/errors",
  summary: "The last error responses of this process, or those of one request",
  access: "admin",
  limits: LIMITS.publicRead,
  query: z.strictObject({ ...limitQuery, requestId: z.string().min(1).max(128).optional() }),
  response: z.object({
    errors: z.array(
      z.object({
        requestId: z.string(),
        at: isoTime,
        method: z.string(),
        route: z.string(),
        status: z.int(),
        code: z.string(),
        message: z.string(),
      }),
    ),
  }),
  example: {
    response: {
      errors: [
        {
          requestId: EXAMPLES.sessionId,
          at: EXAMPLES.at,
          method: "POST",
          route: "rewards.payout",
          status: 409,
          code: "PAYOUT_NOT_READY",
          message: "The wallet cannot be paid now.",
        },
      ],
    },
  },
  errors: [],
  services: ["console"],
  handle: async ({ query }, { console }) =>
    console.listErrors({ requestId: query.requestId ?? null, limit: query.limit }),
});
