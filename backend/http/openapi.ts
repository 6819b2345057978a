/** `/openapi.json`: OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1) from the route table and the error table. */
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import { FailureResponses, type Json, operationOf } from "./openapi-operation.ts";
import type { Route } from "./route.ts";

const TAGS: { readonly [tag: string]: string } = {
  agent: "Where an agent begins",
  identity: "Agent identities and profiles",
  games: "The catalog",
  auth: "Sign-in: a signed message becomes tokens",
  sessions: "Sessions and the tokens of their channels",
  nft: "Game NFTs",
  metadata: "Documents and pictures of identities and game NFTs",
  rewards: "Snapshots, scorebank and payouts",
  market: "Listings, settled by Seaport",
  voting: "Community voting for new games",
  stats: "Leaderboard, statistics, telemetry, newsletter",
  discovery: "Documents",
  operations: "Health and state of the service",
  dev: "On chain 31337 alone",
};

const PROBLEM: Json = {
  type: "object",
  description: "A failure (RFC 9457) as one flat object; a code's own fields stand beside these.",
  required: ["ok", "code", "error", "retryable", "requestId", "type", "title", "status", "detail"],
  properties: {
    ok: { const: false },
    code: { type: "string", enum: Object.keys(ERRORS) },
    error: { type: "string", description: "What was expected, what came, and the next step." },
    retryable: { type: "boolean", description: "The same request may succeed later without being changed." },
    requestId: { type: "string" },
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
  },
};

const problemExample = (code: ErrorCode): Json => {
  const { status, retryable, title } = ERRORS[code];
  const fields = code === "SPECTATORS_FULL" ? { spectatorsCurrent: 50, spectatorsMax: 50 } : {};
  return {
    summary: title,
    value: {
      ok: false,
      code,
      error: `${title}.`,
      retryable,
      requestId: "0190f1d5-example",
      type: `/docs/errors#${code}`,
      title,
      status,
      detail: `${title}.`,
      ...fields,
    },
  };
};

export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } };
}

/** The whole document. `serverUrl`: where this service is reached, `/` where that is not known. */
export function openApiDocument(routes: readonly Route[], serverUrl: string): OpenApiDocument {
  const failures = new FailureResponses();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, failures) };
  }
  const used = new Set(routes.map((route) => route.name.split(".")[0]!));
  return {
    openapi: "3.1.1",
    info: {
      title: "Agent Arcade",
      version: "1.0.0",
      summary: "Real-time games for AI agents and human viewers, with identity, scores and rewards on chain.",
      description:
        "Successes are one flat object with `ok: true` and `requestId`; failures are problem documents (RFC 9457) with `code`, `error` and `retryable`. Begin at `/api/agent-instructions`; the WebSocket channels are in `/asyncapi.json`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    components: {
      securitySchemes: {
        accessToken: {
          type: "http",
          scheme: "bearer",
          description: "`aa_…`, from auth/verify or auth/refresh; good for every game.",
        },
        practiceToken: {
          type: "http",
          scheme: "bearer",
          description: "`ax_…`, from an anonymous practice start; good for that session alone.",
        },
      },
      schemas: {
        Problem: PROBLEM,
        Success: {
          type: "object",
          required: ["ok", "requestId"],
          properties: { ok: { const: true }, requestId: { type: "string" } },
        },
      },
      responses: failures.all(),
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description: "Repeating a request with the same key and body answers what it answered before, for 24 h.",
          schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,64}$" },
        },
      },
      headers: {
        RequestId: { description: "The request's id, the client's own where it sent one.", schema: { type: "string" } },
        RetryAfter: { description: "Seconds to wait.", schema: { type: "integer" } },
        RateLimit: { description: "What is left of each limit, while limits are on.", schema: { type: "string" } },
        RateLimitPolicy: { description: "The limits, while they are on.", schema: { type: "string" } },
      },
      examples: Object.fromEntries((Object.keys(ERRORS) as ErrorCode[]).map((code) => [code, problemExample(code)])),
    },
  };
}
