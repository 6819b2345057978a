import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";
import { sessionParams } from "../../schemas.ts";

export const sessionsReplay = defineRoute({
  name: "sessions.replay",
  method: "GET",
  path: "/api/games/{slug}/sessions/{sessionId}/replay",
  summary: "The replay of an ended agent session, from which anyone can derive its score",
  access: "public",
  limits: LIMITS.publicRead,
  params: sessionParams,
  response: z.record(z.string(), z.unknown()),
  errors: ["GAME_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_NOT_ENDED", "SOURCE_NOT_ELIGIBLE"],
  plain: true,
  handle: async ({ params }, { sessions }) =>
    new Reply(200, JSON.stringify(await sessions.replay(params.slug, params.sessionId)), {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=31536000, immutable",
      "Content-Disposition": `attachment; filename="${params.slug}-${params.sessionId}.json"`,
    }),
});
