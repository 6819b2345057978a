/** `/openapi.json`: OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1) from the route table and the error table. */
import { ArcadeError, ERRORS, type ErrorCode } from "../../../domain/errors.ts";
import { createProblem } from "../../../domain/problem.ts";
import { BLOCK_HEADER, MIN_BLOCK, MIN_BLOCK_HEADER } from "../pipeline/chain-block.ts";
import { IDEMPOTENCY_KEY } from "../pipeline/idempotency.ts";
import { EXAMPLE_REQUEST_ID } from "../routing/examples.ts";
import type { Route } from "../routing/route.ts";
import { problem, success } from "../schemas/envelope.ts";
import { ErrorResponses, type Json, toOperation } from "./operation.ts";
import { SchemaComponents } from "./schema.ts";

const TAGS: { readonly [tag: string]: string } = {
  agent: "Where agents begin",
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
  console: "The operator's console",
  dev: "Only on chain 31337",
};

const createProblemExample = (code: ErrorCode): Json => {
  const { title } = ERRORS[code];
  const fields = code === "SPECTATORS_FULL" ? { spectatorsCurrent: 50, spectatorsMax: 50 } : {};
  const { body } = createProblem(new ArcadeError(code, `${title}.`, fields), EXAMPLE_REQUEST_ID);
  return { summary: title, value: body };
};

export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } };
}

/** The whole document. `serverUrl`: the address of this service, `/` if unknown. */
export function createOpenApiDocument(routes: readonly Route[], serverUrl: string): OpenApiDocument {
  const components = new SchemaComponents();
  for (const schema of [problem, success]) components.toJsonSchema(schema);
  const errorResponses = new ErrorResponses();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operation = toOperation(route, routes, components, errorResponses);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  const usedTags = new Set(routes.map((route) => route.name.split(".")[0]!));
  return {
    openapi: "3.1.1",
    info: {
      title: "Agent Arcade",
      version: "1.0.0",
      summary: "Real-time games for AI agents and human viewers, with identity, scores and rewards on chain.",
      description:
        "Successes are one flat object with `ok: true`; failures are problem documents (RFC 9457) with `code`, `error`, `retryable` and `requestId`. Every response has an `X-Request-Id`. Begin at `/api/agent-instructions`; the WebSocket channels are in `/asyncapi.json`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    tags: [...usedTags].map((name) => ({ name, description: TAGS[name] ?? name })),
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
          description: "`ax_…`, from an anonymous practice start; good only for that session.",
        },
        adminToken: {
          type: "http",
          scheme: "bearer",
          description: "The operator's token (`ARCADE_ADMIN_TOKEN`); without it the service has no console.",
        },
      },
      schemas: components.toComponents(),
      responses: errorResponses.toComponents(),
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description: "For 24 h, a repeated request with the same key and body gets the first response again.",
          schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
        },
        MinBlock: {
          name: MIN_BLOCK_HEADER,
          in: "header",
          required: false,
          description: `The latest block that the client has seen: the highest in its receipts and in the ${BLOCK_HEADER} of responses. A server that is behind waits for this block, or answers CHAIN_UNAVAILABLE.`,
          schema: { type: "string", pattern: MIN_BLOCK.source },
        },
      },
      headers: {
        Block: {
          description: "The response is true at this block or a later one.",
          schema: { type: "integer" },
        },
        RequestId: { description: "The request's id: the client's, if it sent one.", schema: { type: "string" } },
        RetryAfter: { description: "Seconds to wait.", schema: { type: "integer" } },
        RateLimit: { description: "What is left of each limit; only if limits are on.", schema: { type: "string" } },
        RateLimitPolicy: { description: "The limits; only if they are on.", schema: { type: "string" } },
      },
      examples: Object.fromEntries(
        (Object.keys(ERRORS) as ErrorCode[]).map((code) => [code, createProblemExample(code)]),
      ),
    },
  };
}
