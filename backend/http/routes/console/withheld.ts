import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { consoleSession, consoleSessionExample, limitQuery } from "./schemas.ts";

export const consoleWithheld = defineRoute({
  name: "console.withheld",
  method: "GET",
  path: "/api/console/withheld",
  summary: "Sessions whose score is withheld, newest first, among the last 5,000",
  access: "admin",
  limits: LIMITS.publicRead,
  query: z.strictObject(limitQuery),
  response: z.object({ sessions: z.array(consoleSession) }),
  example: {
    response: {
      sessions: [{ ...consoleSessionExample, phase: "ended", verification: "withheld", endReason: "lives_lost" }],
    },
  },
  errors: [],
  services: ["console"],
  handle: ({ query }, { console }) => console.listWithheld(query.limit),
});
