import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { SESSION_SOURCES } from "../../../../domain/session.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { namedPageOut, nameList, pageQuery } from "../../schemas/pages.ts";
import { gameParams } from "../../schemas/requests.ts";
import { sessionView } from "../../schemas/sessions.ts";

export const sessionsMy = defineRoute({
  name: "sessions.my",
  method: "GET",
  path: "/api/games/{slug}/sessions/my",
  summary: "The caller's sessions, newest first",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: gameParams,
  query: z.strictObject({
    ...pageQuery,
    status: z.enum(["active", "ended"]).optional(),
    source: z.enum(SESSION_SOURCES).optional(),
  }),
  response: z.object(namedPageOut("sessions", sessionView)),
  example: { response: nameList("sessions", createExamplePage(EXAMPLES.endedSession)) },
  services: ["sessions"],
  handle: async ({ params, query, caller }, { sessions }) => {
    const page = await sessions.listMine({
      slug: params.slug,
      wallet: caller.wallet,
      page: query.page,
      limit: query.limit,
      status: query.status ?? null,
      source: query.source ?? null,
    });
    return nameList("sessions", page);
  },
});
