import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";
import { addressOut, hexOut, isoTime } from "../../schemas/values.ts";

export const leagueCurrent = defineRoute({
  name: "league.current",
  method: "GET",
  path: "/api/league/{slug}",
  summary: "The current season of a game's league, open for policies or being played, and the last played ones",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  response: z.object({
    slug: z.string(),
    season: z.int(),
    opensAt: isoTime,
    closesAt: isoTime,
    state: z.enum(["open", "playing"]),
    commitment: hexOut.describe("sha256 of the service's part of the seeds; the file of the round reveals that part"),
    policies: z.int(),
    policiesDigest: hexOut
      .nullable()
      .describe("Digest of the list of policies; null until the deadline fixes the list"),
    thinkers: z
      .array(
        z.object({
          wallet: addressOut,
          agentId: z.string(),
          points: z.int(),
          courses: z.int().describe("Courses begun"),
          decisions: z.int(),
        }),
      )
      .describe("The best 25 thinkers of this season; the file of the round lists all"),
    played: z.array(
      z.object({
        season: z.int(),
        closesAt: isoTime,
        policies: z.int(),
        courses: z.int(),
        winner: z.string().nullable().describe("The wallet of the strongest policy; null if there were thinkers only"),
      }),
    ),
  }),
  example: {
    response: {
      slug: EXAMPLES.slug,
      season: 2,
      opensAt: EXAMPLES.at,
      closesAt: EXAMPLES.weekLater,
      state: "open",
      commitment: EXAMPLES.digest,
      policies: 3,
      policiesDigest: null,
      thinkers: [{ wallet: EXAMPLES.wallet, agentId: "1", points: 480, courses: 5, decisions: 412 }],
      played: [{ season: 1, closesAt: EXAMPLES.at, policies: 3, courses: 50, winner: EXAMPLES.wallet }],
    },
  },
  kept: ["league"],
  errors: ["LEAGUE_OFF"],
  services: ["league"],
  handle: ({ params }, { league }) => league.getState(params.slug),
});
