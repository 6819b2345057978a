import { z } from "zod";
import { type Round, roundSchema } from "../../../../domain/league/round.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { GzippedText } from "../../responses/gzipped-text.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { slug } from "../../schemas/requests.ts";
import { pathTexts } from "../../schemas/values.ts";

const round: Round = {
  v: 1,
  season: 1,
  slug: EXAMPLES.slug,
  rulesVersion: 2,
  rulesHash: EXAMPLES.digest,
  tickHz: 15,
  ticksMax: 900,
  courses: 50,
  opensAt: EXAMPLES.at,
  closesAt: EXAMPLES.weekLater,
  serverSeed: EXAMPLES.digest,
  commitment: EXAMPLES.digest,
  block: { number: 42, hash: EXAMPLES.digest },
  policiesDigest: EXAMPLES.digest,
  policies: [],
  rungs: [],
  ratings: [],
  thinkers: [],
};

export const leagueRound = defineRoute({
  name: "league.round",
  method: "GET",
  path: "/api/league/{slug}/seasons/{season}",
  summary: "The file of a played round: policies, moves, scores and ratings, enough to play it again",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ slug, season: pathTexts.season }),
  response: roundSchema,
  example: { response: round },
  errors: ["LEAGUE_OFF", "ROUND_NOT_FOUND"],
  plain: true,
  services: ["league"],
  handle: async ({ params }, { league }) =>
    new HttpResponse(200, new GzippedText(await league.getRound(params.slug, params.season)), {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=31536000, immutable",
      "Content-Disposition": `attachment; filename="${params.slug}-season-${params.season}.json"`,
    }),
});
