import { z } from "zod";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../examples.ts";
import { defineRoute } from "../../route.ts";
import { gameView, pageOut } from "../../schemas.ts";

export const gamesCatalog = defineRoute({
  name: "games.catalog",
  method: "GET",
  path: "/api/games/catalog",
  summary: "All live games",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({}),
  response: z.object(pageOut(gameView)),
  example: { response: createExamplePage(EXAMPLES.game) },
  errors: [],
  kept: [],
  services: ["catalog"],
  handle: async (_, { catalog }) => {
    const items = catalog.list();
    return { items, page: 1, limit: 100, total: items.length };
  },
});
