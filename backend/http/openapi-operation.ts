/** One route as an OpenAPI operation. */
import { AGENT_LOOP } from "../domain/agent-loop.ts";
import { exampleBody } from "../domain/agent-loop-values.ts";
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import { codesOf } from "./openapi-codes.ts";
import { exampleOf, type JsonSchema, jsonSchemaOf } from "./openapi-schema.ts";
import type { Route } from "./route.ts";

export type Json = { readonly [key: string]: unknown };

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** The shared Response Objects of failures, one for each (status, codes) that a table needs. */
export class FailureResponses {
  readonly #made = new Map<string, { readonly name: string; readonly response: Json }>();

  /** A reference to the response with these codes of one status. */
  of(status: number, codes: readonly ErrorCode[]): Json {
    const key = codes.join(" ");
    const name = this.#made.get(key)?.name ?? `Failure${status}_${this.#made.size + 1}`;
    if (!this.#made.has(key)) this.#made.set(key, { name, response: failureResponse(status, codes) });
    return ref("responses", name);
  }

  all(): Json {
    return Object.fromEntries([...this.#made.values()].map(({ name, response }) => [name, response]));
  }
}

const failureResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join("; "),
  ...(status === 429 || status === 503 ? { headers: { "Retry-After": ref("headers", "RetryAfter") } } : {}),
  content: {
    "application/problem+json": {
      schema: { allOf: [ref("schemas", "Problem"), { properties: { code: { enum: codes } } }] },
      examples: Object.fromEntries(codes.map((code) => [code, ref("examples", code)])),
    },
  },
});

function failuresOf(route: Route, failures: FailureResponses): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), failures.of(status, codes)]));
}

/** A success of the route as it might come, without the envelope. */
export const exampleAnswer = (route: Route): Json =>
  AGENT_LOOP.find((entry) => entry.route === route.name)?.answer ?? (exampleOf(jsonSchemaOf(route.response)) as Json);

function successOf(route: Route): Json {
  const schema = jsonSchemaOf(route.response);
  const content: Json = route.plain
    ? { [route.media ?? "application/json"]: route.media === undefined ? { schema } : { schema: { type: "string" } } }
    : {
        "application/json": {
          schema: { allOf: [ref("schemas", "Success"), schema] },
          example: { ok: true, requestId: "0190f1d5-example", ...exampleAnswer(route) },
        },
        ...(route.name.endsWith(".agentInstructions") ? { "text/markdown": { schema: { type: "string" } } } : {}),
      };
  const headers = {
    "X-Request-Id": ref("headers", "RequestId"),
    ...(route.limits.length > 0
      ? { RateLimit: ref("headers", "RateLimit"), "RateLimit-Policy": ref("headers", "RateLimitPolicy") }
      : {}),
  };
  return Object.fromEntries(
    (route.statuses ?? [200]).map((status) => [
      String(status),
      { description: status === 202 ? "Accepted; its outcome follows" : route.summary, headers, content },
    ]),
  );
}

function parametersOf(route: Route): Json[] {
  const fieldsOf = (schema: JsonSchema | null, place: "path" | "query"): Json[] => {
    if (schema === null) return [];
    const required = new Set((schema.required as readonly string[] | undefined) ?? []);
    const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonSchema };
    return Object.entries(properties).map(([name, { description, ...inner }]) => ({
      name,
      in: place,
      required: place === "path" || required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: inner,
    }));
  };
  return [
    ...fieldsOf(route.params === undefined ? null : jsonSchemaOf(route.params), "path"),
    ...fieldsOf(route.query === undefined ? null : jsonSchemaOf(route.query), "query"),
    ...(route.creates ? [ref("parameters", "IdempotencyKey")] : []),
  ];
}

const SECURITY: { readonly [access in Route["access"]]: readonly Json[] } = {
  public: [],
  optional: [{}, { accessToken: [] }],
  wallet: [{ accessToken: [] }],
  player: [{ accessToken: [] }, { practiceToken: [] }],
};

/** The Operation Object of a route (https://spec.openapis.org/oas/v3.1.1#operation-object). */
export function operationOf(route: Route, failures: FailureResponses): Json {
  const step = AGENT_LOOP.find((entry) => entry.route === route.name);
  const bodySchema = route.body === undefined ? null : jsonSchemaOf(route.body);
  const words = [
    route.identity === undefined ? null : "The wallet must hold its agent identity.",
    route.localOnly ? "Exists on chain 31337 alone." : null,
    ...route.limits.map(
      ({ name, by, limit, windowSeconds }) => `Limit \`${name}\`: ${limit} in ${windowSeconds} s per ${by}.`,
    ),
  ].filter((word) => word !== null);
  return {
    operationId: route.name,
    tags: [route.name.split(".")[0]],
    summary: route.summary,
    ...(words.length === 0 ? {} : { description: words.join(" ") }),
    security: SECURITY[route.access],
    parameters: parametersOf(route),
    ...(route.method === "GET"
      ? {}
      : {
          requestBody: {
            required: bodySchema !== null,
            content: {
              "application/json": {
                schema: bodySchema ?? { type: "object", additionalProperties: false },
                example:
                  route.exampleBody ??
                  (step?.body === undefined ? exampleOf(bodySchema ?? {}) : exampleBody(step.body)),
              },
            },
          },
        }),
    responses: { ...successOf(route), ...failuresOf(route, failures) },
    "x-error-codes": codesOf(route),
    "x-rate-limits": route.limits,
    ...(route.identity === undefined ? {} : { "x-identity-required": true }),
  };
}
