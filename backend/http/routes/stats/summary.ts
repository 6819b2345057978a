import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { slug } from "../../schemas/requests.ts";

export const statsSummary = defineRoute({
  name: "stats.summary",
  method: "GET",
  path: "/api/stats/summary",
  summary: "Figures of played and running sessions, in one game or in all",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({ game: slug.optional() }),
  response: z.object({
    game: z.string().nullable(),
    sessions: z.int(),
    players: z.int(),
    liveSessions: z.int(),
    spectators: z.int(),
    highScore: z.int(),
    totalScore: z.int(),
    playSeconds: z.int(),
  }),
  example: {
    response: {
      game: null,
      sessions: 3,
      players: 2,
      liveSessions: 1,
      spectators: 4,
      highScore: EXAMPLES.score,
      totalScore: 700,
      playSeconds: 180,
    },
  },
  errors: ["GAME_NOT_FOUND"],
  kept: ["standings", "live"],
  services: ["stats", "catalog"],
  handle: ({ query }, { stats, catalog }) =>
    stats.getSummary(query.game === undefined ? null : catalog.resolveSlug(query.game)),
});
