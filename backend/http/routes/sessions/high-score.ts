import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { gameParams, isoTime } from "../../schemas.ts";

export const sessionsHighScore = defineRoute({
  name: "sessions.highScore",
  method: "GET",
  path: "/api/games/{slug}/sessions/high-score",
  summary: "The caller's best ended agent session",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: gameParams,
  response: z.object({
    highScore: z.object({ score: z.int(), sessionId: z.string(), at: isoTime }).nullable(),
    sessionId: z.string().nullable(),
  }),
  errors: ["GAME_NOT_FOUND"],
  handle: ({ params, caller }, { sessions }) => sessions.highScore(caller.wallet, params.slug),
});
