import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { isoTime } from "../../schemas/values.ts";
import { reason, sessionActionParams } from "./schemas.ts";

const ACTIONS = ["end", "withhold", "forfeit"] as const;

export const consoleSessionAction = defineRoute({
  name: "console.sessionAction",
  method: "POST",
  path: "/api/console/sessions/{sessionId}",
  summary: "Ends a session, or takes an ended one's score back forever; written to the audit",
  access: "admin",
  limits: LIMITS.publicRead,
  params: sessionActionParams,
  body: z.strictObject({ action: z.enum(ACTIONS), reason }),
  response: z.object({
    sessionId: z.string(),
    outcome: z.enum(["requested", "withheld", "forfeited", "unchanged"]),
    signedUntil: isoTime
      .nullable()
      .meta({ description: "Until then a signature of the score is valid: the guardian can cancel it on chain" }),
  }),
  example: {
    request: { action: "withhold", reason: "bot reads the seed" },
    response: { sessionId: EXAMPLES.sessionId, outcome: "withheld", signedUntil: null },
  },
  errors: ["SESSION_ENDED", "SESSION_NOT_ENDED", "SOURCE_NOT_ELIGIBLE", "SCORE_ON_CHAIN"],
  services: ["console"],
  handle: ({ params, body }, { console }) => console.changeSession(params.sessionId, body.action, body.reason),
});
