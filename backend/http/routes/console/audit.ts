import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { isoTime } from "../../schemas/values.ts";
import { limitQuery } from "./schemas.ts";

export const consoleAudit = defineRoute({
  name: "console.audit",
  method: "GET",
  path: "/api/console/audit",
  summary: "What operators have changed, newest first",
  access: "admin",
  limits: LIMITS.publicRead,
  query: z.strictObject({ ...limitQuery, subject: z.string().min(1).max(200).optional() }),
  response: z.object({
    audit: z.array(
      z.object({
        auditId: z.string(),
        at: isoTime,
        who: z.string(),
        action: z.string(),
        subject: z.string(),
        before: z.unknown(),
        after: z.unknown(),
      }),
    ),
  }),
  example: {
    response: {
      audit: [
        {
          auditId: EXAMPLES.sessionId,
          at: EXAMPLES.at,
          who: "console",
          action: "service.drain",
          subject: "service",
          before: { draining: false },
          after: { draining: true, reason: "update" },
        },
      ],
    },
  },
  errors: [],
  services: ["console"],
  handle: ({ query }, { console }) => console.listAudit({ subject: query.subject ?? null, limit: query.limit }),
});
