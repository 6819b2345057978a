import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { sessionParams, sessionView } from "../../schemas.ts";

export const sessionsGet = defineRoute({
  name: "sessions.get",
  method: "GET",
  path: "/api/games/{slug}/sessions/{sessionId}",
  summary: "One session's public record",
  access: "public",
  limits: LIMITS.publicRead,
  params: sessionParams,
  response: z.object({ session: sessionView }),
  errors: ["GAME_NOT_FOUND", "SESSION_NOT_FOUND"],
  handle: ({ params }, { sessions }) => sessions.get(params.slug, params.sessionId),
});
