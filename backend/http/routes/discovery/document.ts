import { z } from "zod";
import type { Services } from "../../../services/services.ts";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply, type Route } from "../../route.ts";

/** A document outside the envelope: its text and its content type. */
export const documentRoute = (facts: {
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly media: string;
  readonly text: (services: Services) => string;
}): Route =>
  defineRoute({
    name: facts.name,
    method: "GET",
    path: facts.path,
    summary: facts.summary,
    access: "public",
    limits: LIMITS.publicRead,
    response: facts.media === "application/json" ? z.looseObject({}) : z.string(),
    errors: [],
    plain: true,
    ...(facts.media === "application/json" ? {} : { media: facts.media }),
    handle: async (_, services) =>
      new Reply(200, facts.text(services), {
        "Content-Type": facts.media === "application/json" ? facts.media : `${facts.media}; charset=utf-8`,
      }),
  });
