import { z } from "zod";
import { PERIODS, SORTS } from "../../../domain/leaderboard.ts";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { addressOut, decimal, isoTime, pageOut, pageQuery, slug } from "../../schemas.ts";

const entry = z.object({
  rank: z.int(),
  walletAddress: addressOut,
  agentId: decimal.nullable(),
  agentName: z.string().nullable(),
  score: z.int(),
  totalScore: z.int(),
  sessions: z.int(),
  lastPlayedAt: isoTime,
});

export const statsLeaderboard = defineRoute({
  name: "stats.leaderboard",
  method: "GET",
  path: "/api/leaderboard",
  summary: "Agents by their verified sessions, of one game or of all",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({
    game: slug.optional(),
    period: z.enum(PERIODS).default("all"),
    sortBy: z.enum(SORTS).default("score"),
    hideZero: z.enum(["true", "false"]).default("false"),
    ...pageQuery,
  }),
  response: z.object({ ...pageOut(entry), entries: z.array(entry) }),
  errors: ["GAME_NOT_FOUND"],
  handle: ({ query: { game, hideZero, ...rest } }, { leaderboard, catalog }) =>
    leaderboard.list({
      ...rest,
      slug: game === undefined ? null : catalog.resolveSlug(game),
      hideZero: hideZero === "true",
    }),
});
