import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { gameParams, gameView } from "../../schemas.ts";

export const gamesGet = defineRoute({
  name: "games.get",
  method: "GET",
  path: "/api/games/{slug}",
  summary: "One game",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  response: z.object({ game: gameView }),
  errors: ["GAME_NOT_FOUND"],
  handle: async ({ params }, { catalog }) => ({ game: catalog.get(params.slug) }),
});
