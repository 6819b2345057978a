/** One route as an OpenAPI operation. */

import { ERRORS, type ErrorCode } from "../../../domain/errors.ts";
import { hasRetryAfter } from "../../../domain/problem.ts";
import { BLOCK_HEADER, dependsOnChain } from "../pipeline/chain-block.ts";
import { EXAMPLE_ENVELOPE } from "../routing/examples.ts";
import type { Route } from "../routing/route.ts";
import { getErrorCodes } from "./error-codes.ts";
import { toLinks } from "./links.ts";
import type { JsonSchema, SchemaComponents } from "./schema.ts";

export type Json = { readonly [key: string]: unknown };

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** The shared Response Objects of failures, one for each combination of status and codes. */
export class ErrorResponses {
  readonly #responses = new Map<string, { readonly name: string; readonly response: Json }>();

  /** A reference to the response with these codes of one status. */
  getRef(status: number, codes: readonly ErrorCode[]): Json {
    const key = codes.join(" ");
    const name = this.#responses.get(key)?.name ?? `Failure${status}_${this.#responses.size + 1}`;
    if (!this.#responses.has(key)) this.#responses.set(key, { name, response: toErrorResponse(status, codes) });
    return ref("responses", name);
  }

  toComponents(): Json {
    return Object.fromEntries([...this.#responses.values()].map(({ name, response }) => [name, response]));
  }
}

const toErrorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join("; "),
  ...(hasRetryAfter(status) ? { headers: { "Retry-After": ref("headers", "RetryAfter") } } : {}),
  content: {
    "application/problem+json": {
      schema: { allOf: [ref("schemas", "Problem"), { properties: { code: { enum: codes } } }] },
      examples: Object.fromEntries(codes.map((code) => [code, ref("examples", code)])),
    },
  },
});

function toErrorResponses(route: Route, errorResponses: ErrorResponses): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of getErrorCodes(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [String(status), errorResponses.getRef(status, codes)]),
  );
}

/**
 * The Media Type Object's examples (https://spec.openapis.org/oas/v3.1.1#media-type-object): one, or several by name.
 */
function toExamples(route: Route, toValue: (example: Route["example"]) => unknown): Json {
  const { example, otherExamples } = route;
  if (otherExamples === undefined) return { example: toValue(example) };
  return {
    examples: Object.fromEntries(
      Object.entries({ default: example, ...otherExamples }).map(([name, one]) => [name, { value: toValue(one) }]),
    ),
  };
}

function toContent(route: Route, components: SchemaComponents): Json {
  if (route.media !== undefined) return { [route.media]: { schema: { type: "string" } } };
  const schema = components.toJsonSchema(route.response);
  if (route.plain) return { "application/json": { schema, ...toExamples(route, ({ response }) => response) } };
  const addEnvelope = ({ response }: Route["example"]) => ({
    ...EXAMPLE_ENVELOPE,
    ...(response as object),
  });
  return {
    "application/json": { schema: { allOf: [ref("schemas", "Success"), schema] }, ...toExamples(route, addEnvelope) },
    ...(route.name.endsWith(".agentInstructions") ? { "text/markdown": { schema: { type: "string" } } } : {}),
  };
}

function toSuccessResponses(route: Route, routes: readonly Route[], components: SchemaComponents): Json {
  const content = toContent(route, components);
  const links = toLinks(route, routes);
  const headers = {
    "X-Request-Id": ref("headers", "RequestId"),
    ...(dependsOnChain(route) ? { [BLOCK_HEADER]: ref("headers", "Block") } : {}),
    ...(route.limits.length > 0
      ? { RateLimit: ref("headers", "RateLimit"), "RateLimit-Policy": ref("headers", "RateLimitPolicy") }
      : {}),
  };
  return Object.fromEntries(
    (route.statuses ?? [200]).map((status) => [
      String(status),
      {
        description: status === 202 ? "Accepted; its outcome follows" : route.summary,
        headers,
        content,
        ...(Object.keys(links).length > 0 ? { links } : {}),
      },
    ]),
  );
}

function toParameters(route: Route, components: SchemaComponents): Json[] {
  const toFields = (schema: JsonSchema | null, location: "path" | "query"): Json[] => {
    if (schema === null) return [];
    const required = new Set((schema.required as readonly string[] | undefined) ?? []);
    const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonSchema };
    return Object.entries(properties).map(([name, { description, ...inner }]) => ({
      name,
      in: location,
      required: location === "path" || required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: inner,
    }));
  };
  return [
    ...toFields(route.params === undefined ? null : components.toJsonSchema(route.params), "path"),
    ...toFields(route.query === undefined ? null : components.toJsonSchema(route.query), "query"),
    ...(route.idempotent ? [ref("parameters", "IdempotencyKey")] : []),
    ...(dependsOnChain(route) ? [ref("parameters", "MinBlock")] : []),
  ];
}

const SECURITY: { readonly [access in Route["access"]]: readonly Json[] } = {
  public: [],
  optional: [{}, { accessToken: [] }],
  wallet: [{ accessToken: [] }],
  player: [{ accessToken: [] }, { practiceToken: [] }],
  admin: [{ adminToken: [] }],
};

function toRequestBody(route: Route, components: SchemaComponents): Json {
  if (route.method === "GET") return {};
  const schema =
    route.body === undefined
      ? { type: "object", additionalProperties: false }
      : components.toJsonSchema(route.body, { isRequest: true });
  return {
    requestBody: {
      required: route.body !== undefined,
      content: { "application/json": { schema, ...toExamples(route, ({ request }) => request ?? {}) } },
    },
  };
}

/** The Operation Object of a route (https://spec.openapis.org/oas/v3.1.1#operation-object). */
export function toOperation(
  route: Route,
  routes: readonly Route[],
  components: SchemaComponents,
  errorResponses: ErrorResponses,
): Json {
  const notes = [
    route.identity === undefined ? null : "The wallet must hold its agent identity.",
    route.localOnly ? "Exists only on chain 31337." : null,
    ...route.limits.map(
      ({ name, by, limit, windowSeconds, source }) =>
        `Limit \`${name}\`: ${limit} in ${windowSeconds} s ${by === "all" ? "in all" : `per ${by}`}${source === undefined ? "" : ` (${source})`}.`,
    ),
  ].filter((note) => note !== null);
  return {
    operationId: route.name,
    tags: [route.name.split(".")[0]],
    summary: route.summary,
    ...(notes.length === 0 ? {} : { description: notes.join(" ") }),
    security: SECURITY[route.access],
    parameters: toParameters(route, components),
    ...toRequestBody(route, components),
    responses: { ...toSuccessResponses(route, routes, components), ...toErrorResponses(route, errorResponses) },
    "x-error-codes": getErrorCodes(route),
    "x-rate-limits": route.limits,
    ...(route.identity === undefined ? {} : { "x-identity-required": true }),
  };
}
