import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { emptyBody, phase, sessionParams } from "../../schemas.ts";

export const sessionsHeartbeat = defineRoute({
  name: "sessions.heartbeat",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/heartbeat",
  summary: "A sign of life of the session's player",
  access: "player",
  limits: LIMITS.heartbeat,
  params: sessionParams,
  body: emptyBody,
  response: z.object({ phase, expiresInSeconds: z.number() }),
  errors: ["GAME_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_ENDED"],
  handle: ({ params, caller }, { sessions }) => sessions.heartbeat(params.slug, params.sessionId, caller),
});
