import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { gameParams, pageOut, pageQuery, sessionView } from "../../schemas.ts";

export const sessionsLive = defineRoute({
  name: "sessions.live",
  method: "GET",
  path: "/api/games/{slug}/sessions/live",
  summary: "Sessions that can be watched now; practice is never listed",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  query: z.strictObject(pageQuery),
  response: z.object({ ...pageOut(sessionView), sessions: z.array(sessionView) }),
  errors: ["GAME_NOT_FOUND"],
  handle: ({ params, query }, { sessions }) => sessions.live({ slug: params.slug, ...query }),
});
