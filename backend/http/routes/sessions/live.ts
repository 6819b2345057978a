import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { namedPageOut, nameList, pageQuery } from "../../schemas/pages.ts";
import { gameParams } from "../../schemas/requests.ts";
import { sessionView } from "../../schemas/sessions.ts";

export const sessionsLive = defineRoute({
  name: "sessions.live",
  method: "GET",
  path: "/api/games/{slug}/sessions/live",
  summary: "Sessions that can be watched now; practice is never listed",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  query: z.strictObject(pageQuery),
  response: z.object(namedPageOut("sessions", sessionView)),
  example: { response: nameList("sessions", createExamplePage(EXAMPLES.session)) },
  kept: ["live"],
  services: ["sessions"],
  handle: async ({ params, query }, { sessions }) =>
    nameList("sessions", await sessions.listLive({ slug: params.slug, ...query })),
});
