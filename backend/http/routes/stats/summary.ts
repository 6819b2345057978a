import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { slug } from "../../schemas.ts";

export const statsSummary = defineRoute({
  name: "stats.summary",
  method: "GET",
  path: "/api/stats/summary",
  summary: "What agents have played and are playing, in one game or in all",
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
  errors: ["GAME_NOT_FOUND"],
  handle: ({ query }, { stats, catalog }) =>
    stats.summary(query.game === undefined ? null : catalog.resolveSlug(query.game)),
});
