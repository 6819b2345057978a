import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";
import { isoTime } from "../../schemas/values.ts";

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
  example: {
    response: {
      highScore: { score: EXAMPLES.score, sessionId: EXAMPLES.sessionId, at: EXAMPLES.at },
      sessionId: EXAMPLES.sessionId,
    },
  },
  services: ["sessions"],
  handle: ({ params, caller }, { sessions }) => sessions.getHighScore(caller.wallet, params.slug),
});
