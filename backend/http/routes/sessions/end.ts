import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { playerBody, sessionParams } from "../../schemas/requests.ts";
import { sessionView } from "../../schemas/sessions.ts";

export const sessionsEnd = defineRoute({
  name: "sessions.end",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/end",
  summary: "Ends the session with its score; ending twice returns the same record",
  access: "player",
  limits: LIMITS.heartbeat,
  params: sessionParams,
  body: playerBody,
  response: z.object({ session: sessionView }),
  example: { response: { session: { ...EXAMPLES.endedSession, endReason: "ended_by_player" } } },
  services: ["sessions"],
  handle: ({ params, caller }, { sessions }) => sessions.end(params.slug, params.sessionId, caller),
});
