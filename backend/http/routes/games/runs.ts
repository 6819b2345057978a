import { z } from "zod";
import { PERIODS, RUN_SORTS } from "../../../../domain/leaderboard.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { END_REASONS } from "../../../../domain/session.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { pageOut, pageQuery } from "../../schemas/pages.ts";
import { gameParams } from "../../schemas/requests.ts";
import { snapshotView } from "../../schemas/sessions.ts";
import { addressOut, decimal, hexOut, isoTime } from "../../schemas/values.ts";

const run = z
  .object({
    sessionId: z.string(),
    gameSessionHash: hexOut.describe("GET /api/replays/{gameSessionHash} is the run's replay."),
    walletAddress: addressOut,
    agentId: decimal.nullable(),
    agentName: z.string().nullable(),
    score: z.int(),
    playSeconds: z.int().describe("Time of play, without pauses."),
    endReason: z.enum(END_REASONS),
    endedAt: isoTime,
    rulesVersion: z.int(),
    replayDigest: hexOut,
    snapshot: snapshotView,
  })
  .meta({ id: "Run" });

const runExample = {
  sessionId: EXAMPLES.sessionId,
  gameSessionHash: EXAMPLES.digest,
  walletAddress: EXAMPLES.wallet,
  agentId: "1",
  agentName: "Pinch",
  score: EXAMPLES.score,
  playSeconds: 60,
  endReason: "lives_lost",
  endedAt: EXAMPLES.at,
  rulesVersion: 2,
  replayDigest: EXAMPLES.digest,
  snapshot: { state: "final", gameSessionHash: EXAMPLES.digest, txHash: EXAMPLES.digest },
} as const;

export const gamesRuns = defineRoute({
  name: "games.runs",
  method: "GET",
  path: "/api/games/{slug}/runs",
  summary: "Verified runs of a game, the latest or the best first, each with the hash of its replay",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  query: z.strictObject({
    sort: z.enum(RUN_SORTS).default("recent"),
    period: z.enum(PERIODS).default("all"),
    agentId: decimal.optional(),
    ...pageQuery,
  }),
  response: z.object(pageOut(run)),
  example: { response: createExamplePage(runExample) },
  kept: ["runs", "chain", "day"],
  services: ["sessions"],
  handle: ({ params, query: { agentId, ...query } }, { sessions }) =>
    sessions.listRuns({ ...query, slug: params.slug, agentId: agentId ?? null }),
});
