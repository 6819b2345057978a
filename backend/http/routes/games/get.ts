import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameView } from "../../schemas/games.ts";
import { gameParams } from "../../schemas/requests.ts";

export const gamesGet = defineRoute({
  name: "games.get",
  method: "GET",
  path: "/api/games/{slug}",
  summary: "One game",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  response: z.object({ game: gameView }),
  example: { response: { game: EXAMPLES.game } },
  kept: [],
  services: ["catalog"],
  handle: async ({ params }, { catalog }) => ({ game: catalog.get(params.slug) }),
});
