import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { pageOut, pageQuery } from "../../schemas/pages.ts";
import { gameParams } from "../../schemas/requests.ts";
import { sessionView } from "../../schemas/sessions.ts";

export const sessionsDemo = defineRoute({
  name: "sessions.demo",
  method: "GET",
  path: "/api/games/{slug}/sessions/demo",
  summary: "Running sessions of the service's demo agents, which play while a game has no other player",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  query: z.strictObject(pageQuery),
  response: z.object(pageOut(sessionView)),
  example: {
    response: createExamplePage({ ...EXAMPLES.session, source: "browser_ws" as const, demo: true as const }),
  },
  kept: ["live"],
  services: ["sessions"],
  handle: ({ params, query }, { sessions }) => sessions.listDemo({ slug: params.slug, ...query }),
});
