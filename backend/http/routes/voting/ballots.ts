import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { pageOut, pageQuery, typedData } from "../../schemas.ts";
import { ballot, candidateSlug, cycle } from "./schemas.ts";

export const votingBallots = defineRoute({
  name: "voting.ballots",
  method: "GET",
  path: "/api/voting/ballots",
  summary: "The signed ballots of a closed cycle, for anybody to recount; none while it is open",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({ gameSlug: candidateSlug, ...pageQuery }),
  response: z.object({
    gameSlug: z.string(),
    cycle,
    published: z.boolean(),
    /** With an item's `message` it is what the voter signed. */
    typedData: typedData.omit({ message: true }),
    ...pageOut(ballot),
    ballots: z.array(ballot),
  }),
  errors: ["GAME_NOT_FOUND"],
  handle: ({ query }, { voting }) => voting.ballots(query.gameSlug, { page: query.page, limit: query.limit }),
});
