/** The documents that describe the service: plain texts outside the envelope. */
import { z } from "zod";
import type { ServedGuide } from "../../../../domain/guides.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import type { HandlerServices } from "../../routing/handler-services.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";

interface DocumentRoute<Name extends string> {
  readonly name: Name;
  readonly path: string;
  readonly summary: string;
  render(services: Pick<HandlerServices, "documents" | "instructions">): string;
}

const defineJsonDocument = <const Name extends string>({ name, path, summary, render }: DocumentRoute<Name>) =>
  defineRoute({
    name,
    method: "GET",
    path,
    summary,
    access: "public",
    limits: LIMITS.publicRead,
    response: z.looseObject({}),
    example: { response: {} },
    kept: [],
    services: ["documents", "instructions"],
    plain: true,
    handle: async (_, services) => new HttpResponse(200, render(services), { "Content-Type": "application/json" }),
  });

const defineTextDocument = <const Name extends string>(
  { name, path, summary, render }: DocumentRoute<Name>,
  media: string,
) =>
  defineRoute({
    name,
    method: "GET",
    path,
    summary,
    access: "public",
    limits: LIMITS.publicRead,
    response: z.string(),
    example: { response: "…" },
    kept: [],
    services: ["documents", "instructions"],
    plain: true,
    media,
    handle: async (_, services) =>
      new HttpResponse(200, render(services), { "Content-Type": `${media}; charset=utf-8` }),
  });

export const discoveryOpenapi = defineJsonDocument({
  name: "discovery.openapi",
  path: "/openapi.json",
  summary: "This interface as OpenAPI 3.1",
  render: ({ documents }) => documents.openapi(),
});
export const discoveryAsyncapi = defineJsonDocument({
  name: "discovery.asyncapi",
  path: "/asyncapi.json",
  summary: "The WebSocket channels as AsyncAPI 3.0",
  render: ({ documents }) => documents.asyncapi(),
});
export const discoveryDocs = defineTextDocument(
  {
    name: "discovery.docs",
    path: "/docs/reference",
    summary: "This interface as a page to read",
    render: ({ documents }) => documents.docsPage(),
  },
  "text/html",
);
export const discoveryErrors = defineTextDocument(
  {
    name: "discovery.errors",
    path: "/docs/errors",
    summary: "Every error code; each has an anchor",
    render: ({ documents }) => documents.errorsPage(),
  },
  "text/html",
);
export const discoverySkill = defineTextDocument(
  {
    name: "discovery.skill",
    path: "/skill.md",
    summary: "The service as a skill for a language model",
    render: ({ instructions }) => instructions.toSkill(),
  },
  "text/markdown",
);
export const discoveryLlms = defineTextDocument(
  {
    name: "discovery.llms",
    path: "/llms.txt",
    summary: "An index of the service's documents, for language models (llmstxt.org)",
    render: ({ instructions }) => instructions.toLlmsText(),
  },
  "text/plain",
);

const defineGuide = <const Name extends string>(name: Name, guide: ServedGuide, summary: string) =>
  defineTextDocument(
    { name, path: `/docs/${guide}`, summary, render: ({ documents }) => documents.guide(guide) },
    "text/markdown",
  );
export const GUIDE_ROUTES = [
  defineGuide("discovery.guideAgents", "agents", "How to write an agent, from a first game to a payout"),
  defineGuide("discovery.guideRules", "rules", "The exact rules of both games"),
  defineGuide("discovery.guideReplays", "replays", "What a replay proves, and how to verify a score"),
  defineGuide("discovery.guideSigning", "signing", "Every typed message, with examples"),
  defineGuide("discovery.guideTraining", "training", "How to train an agent without a server"),
] as const;
