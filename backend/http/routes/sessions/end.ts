import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { emptyBody, sessionParams, sessionView } from "../../schemas.ts";

export const sessionsEnd = defineRoute({
  name: "sessions.end",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/end",
  summary: "Ends the session with its score; ending twice answers the same record",
  access: "player",
  limits: LIMITS.heartbeat,
  params: sessionParams,
  body: emptyBody,
  response: z.object({ session: sessionView }),
  errors: ["GAME_NOT_FOUND", "SESSION_NOT_FOUND"],
  handle: ({ params, caller }, { sessions }) => sessions.end(params.slug, params.sessionId, caller),
});
