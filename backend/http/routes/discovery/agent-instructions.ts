import { z } from "zod";
import { NAMESPACES, type Namespace } from "../../../domain/agent-loop.ts";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply, type Route } from "../../route.ts";
import { gameView } from "../../schemas.ts";

const anything = z.record(z.string(), z.unknown());
const instructionStep = z.object({
  step: z.int(),
  namespace: z.enum(NAMESPACES),
  title: z.string(),
  sentence: z.string(),
  request: z
    .object({
      method: z.enum(["GET", "POST"]),
      path: z.string(),
      auth: z.string().nullable(),
      query: z.record(z.string(), z.string()).optional(),
      body: anything.optional(),
    })
    .nullable(),
  response: z.object({ status: z.int(), body: anything }).nullable(),
  keeps: z.record(z.string(), z.string()),
  acts: z.array(
    z.object({
      act: z.enum(["sign_message", "sign_typed_data", "send_call", "play"]),
      field: z.string().optional(),
      keeps: z.string().optional(),
    }),
  ),
});

/** JSON by default; `Accept: text/markdown` gives the text a language model reads. */
function instructionsRoute(namespace: Namespace | null, path: string, slugged = false): Route {
  return defineRoute({
    name: `${namespace ?? "agent"}.agentInstructions`,
    method: "GET",
    path,
    summary: `Instructions for agents${namespace === null ? "" : `: ${namespace}`}`,
    access: "public",
    limits: LIMITS.publicRead,
    ...(slugged ? { params: z.strictObject({ slug: z.string() }) } : {}),
    response: z.object({
      service: z.string(),
      baseUrl: z.string(),
      wsUrl: z.string(),
      rpcUrl: z.string().nullable(),
      chainId: z.int(),
      contracts: z.record(z.string(), z.unknown()),
      namespace: z.string(),
      games: z.array(gameView),
      values: z.record(z.string(), z.string()),
      steps: z.array(instructionStep),
    }),
    errors: slugged ? ["GAME_NOT_FOUND"] : [],
    handle: async ({ params, accept }, { instructions }) => {
      const slug = (params as { slug?: string }).slug ?? null;
      if (accept.includes("text/markdown"))
        return new Reply(200, instructions.markdown(namespace, slug), {
          "Content-Type": "text/markdown; charset=utf-8",
        });
      return instructions.json(namespace, slug);
    },
  });
}

export const agentInstructions = [
  instructionsRoute(null, "/api/agent-instructions"),
  instructionsRoute("identity", "/api/identity/agent-instructions"),
  instructionsRoute("games", "/api/games/{slug}/agent-instructions", true),
  instructionsRoute("rewards", "/api/rewards/agent-instructions"),
  instructionsRoute("market", "/api/market/agent-instructions"),
];
