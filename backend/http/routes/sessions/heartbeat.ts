import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { SESSION_TIMES } from "../../../../domain/session.ts";
import { defineRoute } from "../../routing/route.ts";
import { playerBody, sessionParams } from "../../schemas/requests.ts";
import { phase } from "../../schemas/sessions.ts";

export const sessionsHeartbeat = defineRoute({
  name: "sessions.heartbeat",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/heartbeat",
  summary: "A heartbeat of the session's player",
  access: "player",
  limits: LIMITS.heartbeat,
  params: sessionParams,
  body: playerBody,
  response: z.object({ phase, expiresInSeconds: z.number() }),
  example: { response: { phase: "ready", expiresInSeconds: SESSION_TIMES.neverJoinedTimeoutSeconds } },
  errors: ["SESSION_ENDED"],
  services: ["sessions"],
  handle: ({ params, caller }, { sessions }) => sessions.heartbeat(params.slug, params.sessionId, caller),
});
