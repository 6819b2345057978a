import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { gameParams, pageOut, pageQuery, sessionView } from "../../schemas.ts";

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
    source: z.enum(["agent_api", "browser_ws"]).optional(),
  }),
  response: z.object({ ...pageOut(sessionView), sessions: z.array(sessionView) }),
  errors: ["GAME_NOT_FOUND"],
  handle: ({ params, query, caller }, { sessions }) =>
    sessions.mine({
      slug: params.slug,
      wallet: caller.wallet,
      page: query.page,
      limit: query.limit,
      status: query.status ?? null,
      source: query.source ?? null,
    }),
});
