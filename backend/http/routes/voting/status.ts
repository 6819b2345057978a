import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { candidateSlug, counts, cycle } from "./schemas.ts";

const ofGame = z.object({ gameSlug: z.string(), cycle, ...counts });
const ofCycle = z.object({
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
  response: z.union([ofGame, ofCycle]),
  errors: ["GAME_NOT_FOUND"],
  handle: async ({ query }, { voting }) =>
    query.gameSlug === undefined ? voting.candidates() : voting.status(query.gameSlug),
});
