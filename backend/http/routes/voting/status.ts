import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { candidateSlug, counts, cycle } from "./schemas.ts";

const gameStatus = z.object({ gameSlug: z.string(), cycle, ...counts });
const cycleStatus = z.object({
  cycle: cycle.nullable(),
  games: z.array(
    z.object({ gameSlug: z.string(), title: z.string(), developer: z.string(), url: z.string(), ...counts }),
  ),
});

export const votingStatus = defineRoute({
  name: "voting.status",
  method: "GET",
  path: "/api/voting/status",
  summary: "A candidate's votes; without gameSlug the open cycle and its candidates",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({ gameSlug: candidateSlug.optional() }),
  response: z.union([gameStatus, cycleStatus]),
  example: {
    response: {
      cycle: EXAMPLES.cycle,
      games: [
        {
          gameSlug: EXAMPLES.candidate,
          title: "Tidepool",
          developer: "Demo",
          url: "https://example.org",
          ...EXAMPLES.voteCounts,
        },
      ],
    },
  },
  otherExamples: {
    candidate: { response: { gameSlug: EXAMPLES.candidate, cycle: EXAMPLES.cycle, ...EXAMPLES.voteCounts } },
  },
  errors: ["GAME_NOT_FOUND"],
  services: ["candidates"],
  handle: async ({ query }, { candidates }) =>
    query.gameSlug === undefined ? candidates.list() : candidates.getStatus(query.gameSlug),
});
