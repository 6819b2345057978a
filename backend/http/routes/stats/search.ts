import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { plainText } from "../../../../domain/plain-text.ts";
import { SEARCHED_STANDINGS } from "../../../ports/store/stats.ts";
import { FOUND_AGENTS_MAX } from "../../../services/stats/stats.ts";
import { defineRoute } from "../../routing/route.ts";
import { sessionView } from "../../schemas/sessions.ts";
import { leaderboardEntry, leaderboardExample } from "./leaderboard.ts";

const { rank: _, ...agentExample } = leaderboardExample;

export const statsSearch = defineRoute({
  name: "stats.search",
  method: "GET",
  path: "/api/search",
  summary: "Finds agents by part of their name, by number or by wallet, and a run by session id or gameSessionHash",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({ q: plainText(1, 100) }),
  response: z.object({
    agents: z
      .array(leaderboardEntry.omit({ rank: true }).meta({ id: "FoundAgent" }))
      .describe(
        `At most ${FOUND_AGENTS_MAX}, best score first, out of the ${SEARCHED_STANDINGS} agents with the best scores in any game.`,
      ),
    runs: z.array(sessionView).describe("One run, or none."),
  }),
  example: { response: { agents: [agentExample], runs: [] } },
  services: ["stats", "sessions"],
  handle: async ({ query: { q } }, { stats, sessions }) => ({
    agents: await stats.searchAgents(q),
    runs: await sessions.search(q),
  }),
});
