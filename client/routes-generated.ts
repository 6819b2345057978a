/** Made from the service's route table by `npm run docs`: the routes that `routes.ts` does not type by hand. */
import type { RouteSpec } from "./route.ts";

export const GENERATED_ROUTES = {
  discovery: {
    /** This interface as OpenAPI 3.1. */
    openapi: { method: "GET", path: "/openapi.json", token: "none", repeat: "safe", plain: true } as RouteSpec<
      Record<never, never>,
      { readonly [field: string]: unknown }
    >,
    /** The WebSocket channels as AsyncAPI 3.0. */
    asyncapi: { method: "GET", path: "/asyncapi.json", token: "none", repeat: "safe", plain: true } as RouteSpec<
      Record<never, never>,
      { readonly [field: string]: unknown }
    >,
    /** This interface as a page to read. */
    docs: { method: "GET", path: "/docs", token: "none", repeat: "safe", plain: true, text: true } as RouteSpec<
      Record<never, never>,
      string
    >,
    /** Every error code, with an anchor each. */
    errors: {
      method: "GET",
      path: "/docs/errors",
      token: "none",
      repeat: "safe",
      plain: true,
      text: true,
    } as RouteSpec<Record<never, never>, string>,
    /** The service as a skill for a language model. */
    skill: { method: "GET", path: "/skill.md", token: "none", repeat: "safe", plain: true, text: true } as RouteSpec<
      Record<never, never>,
      string
    >,
    /** What is where, for language models (llmstxt.org). */
    llms: { method: "GET", path: "/llms.txt", token: "none", repeat: "safe", plain: true, text: true } as RouteSpec<
      Record<never, never>,
      string
    >,
  },
  operations: {
    /** Prometheus metrics, for loopback or the configured address alone. */
    metrics: { method: "GET", path: "/metrics", token: "none", repeat: "safe", plain: true, text: true } as RouteSpec<
      Record<never, never>,
      string
    >,
  },
} as const;
