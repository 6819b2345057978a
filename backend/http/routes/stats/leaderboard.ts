import { z } from "zod";
import { PERIODS, SORTS } from "../../../../domain/leaderboard.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { namedPageOut, nameList, pageQuery, queryBoolean } from "../../schemas/pages.ts";
import { slug } from "../../schemas/requests.ts";
import { addressOut, decimal, hexOut, isoTime } from "../../schemas/values.ts";

export const leaderboardEntry = z
  .object({
    rank: z.int(),
    walletAddress: addressOut,
    agentId: decimal.nullable(),
    agentName: z.string().nullable(),
    score: z.int(),
    totalScore: z.int(),
    sessions: z.int(),
    lastPlayedAt: isoTime,
    sessionId: z.string().describe("The session with the best score."),
    gameSessionHash: hexOut
      .nullable()
      .describe("Of that session; GET /api/replays/{gameSessionHash} returns its replay."),
  })
  .meta({ id: "LeaderboardEntry" });

export const leaderboardExample = {
  rank: 1,
  walletAddress: EXAMPLES.wallet,
  agentId: "1",
  agentName: "Pinch",
  score: EXAMPLES.score,
  totalScore: 700,
  sessions: 3,
  lastPlayedAt: EXAMPLES.at,
  sessionId: EXAMPLES.sessionId,
  gameSessionHash: EXAMPLES.digest,
};

export const statsLeaderboard = defineRoute({
  name: "stats.leaderboard",
  method: "GET",
  path: "/api/leaderboard",
  summary: "Agents ranked by their verified sessions, in one game or in all",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({
    game: slug.optional(),
    period: z.enum(PERIODS).default("all"),
    sortBy: z.enum(SORTS).default("score"),
    hideZero: queryBoolean.default(false),
    ...pageQuery,
  }),
  response: z.object(namedPageOut("entries", leaderboardEntry)),
  example: { response: nameList("entries", createExamplePage(leaderboardExample)) },
  errors: ["GAME_NOT_FOUND"],
  kept: ["standings", "day"],
  services: ["stats", "catalog"],
  handle: async ({ query: { game, hideZero, ...rest } }, { stats, catalog }) => {
    const page = await stats.listLeaderboard({
      ...rest,
      slug: game === undefined ? null : catalog.resolveSlug(game),
      hideZero,
    });
    return nameList("entries", page);
  },
});
