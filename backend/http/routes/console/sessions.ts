import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { consoleSession, consoleSessionExample } from "./schemas.ts";

export const consoleSessions = defineRoute({
  name: "console.sessions",
  method: "GET",
  path: "/api/console/sessions",
  summary: "Sessions that are not over, practice included, with seats",
  access: "admin",
  limits: LIMITS.publicRead,
  query: z.strictObject({}),
  response: z.object({ sessions: z.array(consoleSession) }),
  example: { response: { sessions: [consoleSessionExample] } },
  errors: [],
  services: ["console"],
  handle: (_, { console }) => console.listSessions(),
});
