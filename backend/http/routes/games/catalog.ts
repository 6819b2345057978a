import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameView } from "../../schemas/games.ts";
import { namedPageOut, nameList } from "../../schemas/pages.ts";

export const gamesCatalog = defineRoute({
  name: "games.catalog",
  method: "GET",
  path: "/api/games/catalog",
  summary: "All live games",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({}),
  response: z.object(namedPageOut("games", gameView)),
  example: { response: nameList("games", createExamplePage(EXAMPLES.game)) },
  kept: [],
  services: ["catalog"],
  handle: async (_, { catalog }) => {
    const items = catalog.list();
    return nameList("games", { items, page: 1, limit: 100, total: items.length });
  },
});
