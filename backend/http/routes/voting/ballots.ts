import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { typedData } from "../../schemas/calls.ts";
import { pageOut, pageQuery } from "../../schemas/pages.ts";
import { ballot, ballotExample, ballotTypedData, candidateSlug, cycle } from "./schemas.ts";

const { message: _, ...votingDomain } = ballotTypedData;

export const votingBallots = defineRoute({
  name: "voting.ballots",
  method: "GET",
  path: "/api/voting/ballots",
  summary: "The signed ballots of a closed cycle, for a recount; none while the cycle is open",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({ gameSlug: candidateSlug, ...pageQuery }),
  response: z.object({
    gameSlug: z.string(),
    cycle,
    published: z.boolean(),
    /** With an item's `message`, this is what the voter signed. */
    typedData: typedData.omit({ message: true }),
    ...pageOut(ballot),
  }),
  example: {
    response: {
      gameSlug: EXAMPLES.candidate,
      cycle: { ...EXAMPLES.cycle, state: "closed" },
      published: true,
      typedData: votingDomain,
      ...createExamplePage(ballotExample),
    },
  },
  errors: ["GAME_NOT_FOUND"],
  services: ["candidates"],
  handle: ({ query }, { candidates }) =>
    candidates.listBallots(query.gameSlug, { page: query.page, limit: query.limit }),
});
