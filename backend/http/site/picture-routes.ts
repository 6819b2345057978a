/** Pictures for link previews and posters, as routes of the site. They are in no document of the interface. */
import { z } from "zod";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { toPosterPath } from "../../../domain/site.ts";
import type { Pictures } from "../../services/pictures/pictures.ts";
import { defineRoute, HttpResponse, type Route } from "../routing/route.ts";
import { decimal, sessionIdText } from "../schemas/values.ts";

const TICK = z.coerce.number().int().nonnegative();
type Draw = (pictures: Pictures, id: string, tick: number | null) => Promise<Uint8Array>;

const PICTURES: readonly (readonly [path: string, id: z.ZodType<string>, draw: Draw])[] = [
  ["/pictures/runs/{id}.png", sessionIdText, (pictures, id, tick) => pictures.drawRun(id, tick)],
  [decodeURIComponent(toPosterPath("{id}")), sessionIdText, (pictures, id) => pictures.drawPoster(id)],
  ["/pictures/agents/{id}.png", decimal, (pictures, id) => pictures.drawAgent(id)],
  ["/pictures/games/{id}.png", z.string(), (pictures, id) => pictures.drawGame(id)],
];

export const pictureRoutes: readonly Route[] = PICTURES.map(([path, id, draw]) =>
  defineRoute({
    name: `site.picture.${path.split("/")[2]}`,
    method: "GET",
    path,
    summary: "A picture",
    access: "public",
    limits: LIMITS.publicRead,
    params: z.strictObject({ id }),
    query: z.object({ t: TICK.optional().catch(undefined) }),
    response: z.string(),
    example: { response: "" },
    errors: ["NOT_FOUND", "PICTURE_UNAVAILABLE"],
    plain: true,
    media: "image/png",
    services: ["pictures"],
    async handle({ params, query }, { pictures }) {
      const bytes = await draw(pictures, params.id, query.t ?? null);
      return new HttpResponse(200, Buffer.from(bytes), {
        "Content-Type": "image/png",
        "Cache-Control": "public, max-age=3600",
      });
    },
  }),
);
