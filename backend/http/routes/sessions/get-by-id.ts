import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { sessionParams } from "../../schemas/requests.ts";
import { sessionView } from "../../schemas/sessions.ts";

export const sessionsGetById = defineRoute({
  name: "sessions.getById",
  method: "GET",
  path: "/api/sessions/{sessionId}",
  summary: "One session's public record, without its game in the path",
  access: "public",
  limits: LIMITS.publicRead,
  params: sessionParams.omit({ slug: true }),
  response: z.object({ session: sessionView }),
  example: { response: { session: EXAMPLES.session } },
  services: ["sessions"],
  handle: ({ params }, { sessions }) => sessions.getById(params.sessionId),
});
