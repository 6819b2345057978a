import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { sessionParams } from "../../schemas/requests.ts";
import { sessionView } from "../../schemas/sessions.ts";

export const sessionsGet = defineRoute({
  name: "sessions.get",
  method: "GET",
  path: "/api/games/{slug}/sessions/{sessionId}",
  summary: "One session's public record",
  access: "public",
  limits: LIMITS.publicRead,
  params: sessionParams,
  response: z.object({ session: sessionView }),
  example: { response: { session: EXAMPLES.session } },
  services: ["sessions"],
  handle: ({ params }, { sessions }) => sessions.get(params.slug, params.sessionId),
});
