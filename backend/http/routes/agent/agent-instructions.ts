/** `…agent-instructions`: JSON by default; with `Accept: text/markdown` the text for a language model. */
import type { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { instructionsExample, instructionsView, type Namespace } from "../../instructions/view.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";

const defineInstructionsRoute = <const Name extends string, Params extends z.ZodType = z.ZodUndefined>(route: {
  readonly name: Name;
  /** Null: the steps of every namespace. */
  readonly namespace: Namespace | null;
  readonly path: string;
  readonly params?: Params;
}) =>
  defineRoute({
    name: route.name,
    method: "GET",
    path: route.path,
    summary: `Instructions for agents${route.namespace === null ? "" : `: ${route.namespace}`}`,
    access: "public",
    limits: LIMITS.publicRead,
    ...(route.params === undefined ? {} : { params: route.params }),
    response: instructionsView,
    example: { response: instructionsExample },
    kept: [],
    services: ["instructions"],
    handle: async ({ params, isMarkdownAccepted }, { instructions }) => {
      const slug = (params as { slug?: string } | undefined)?.slug ?? null;
      if (!isMarkdownAccepted) return instructions.toJson(route.namespace, slug);
      return new HttpResponse(200, instructions.toMarkdown(route.namespace, slug), {
        "Content-Type": "text/markdown; charset=utf-8",
      });
    },
  });

export const agentAgentInstructions = defineInstructionsRoute({
  name: "agent.agentInstructions",
  namespace: null,
  path: "/api/agent-instructions",
});
export const identityAgentInstructions = defineInstructionsRoute({
  name: "identity.agentInstructions",
  namespace: "identity",
  path: "/api/identity/agent-instructions",
});
export const gamesAgentInstructions = defineInstructionsRoute({
  name: "games.agentInstructions",
  namespace: "games",
  path: "/api/games/{slug}/agent-instructions",
  params: gameParams,
});
export const rewardsAgentInstructions = defineInstructionsRoute({
  name: "rewards.agentInstructions",
  namespace: "rewards",
  path: "/api/rewards/agent-instructions",
});
export const marketAgentInstructions = defineInstructionsRoute({
  name: "market.agentInstructions",
  namespace: "market",
  path: "/api/market/agent-instructions",
});
