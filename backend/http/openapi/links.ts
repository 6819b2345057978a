/**
 * Link Objects (https://spec.openapis.org/oas/v3.1.1#link-object): the next calls for which a response has identifiers.
 */
import type { z } from "zod";
import type { Route } from "../routing/route.ts";

type Json = { readonly [key: string]: unknown };

/** Fields of requests that earlier responses contain. */
const IDENTIFIERS = new Set(
  "gameSessionHash message nonce orderId payoutId refreshToken relayId sessionId transactionId".split(" "),
);
const SLUGS = ["slug", "gameSlug"];
/** Many responses have these fields, but only in this one are they new to its client. */
const SOURCES: { readonly [field: string]: string } = {
  slug: "games.catalog",
  gameSlug: "voting.status",
  nonce: "voting.nonce",
};

/** Whether a caller may call the next route. A public response may contain identifiers of others. */
const mayFollow = ({ access }: Route, next: Route): boolean =>
  access === "public" || access === "admin" ? next.access === access : next.access !== "admin";

/** The JSON pointer of the text under one of the names; for a list, of its first item. */
function findPointer(value: unknown, names: readonly string[]): string | null {
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined);
  const own = entries.find(([key, inner]) => names.includes(key) && typeof inner === "string");
  if (own !== undefined) return `/${own[0]}`;
  for (const [key, inner] of entries) {
    const pointer = findPointer(inner, names);
    if (pointer !== null) return `/${key}${pointer}`;
  }
  return null;
}

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
}

const fieldsBySchema = new WeakMap<z.ZodType, readonly Field[]>();

function listFields(schema: z.ZodType | undefined): readonly Field[] {
  if (schema === undefined || !("shape" in schema)) return [];
  const known = fieldsBySchema.get(schema);
  if (known !== undefined) return known;
  const shape = Object.entries(schema.shape as { readonly [name: string]: z.ZodType });
  const fields = shape.map(([name, field]) => ({ name, isRequired: !field.safeParse(undefined).success }));
  fieldsBySchema.set(schema, fields);
  return fields;
}

/**
 * The links from a route to every other one whose path parameters are in its response or its own path, with at least
 * one field of the response.
 */
export function toLinks(route: Route, routes: readonly Route[]): Json {
  if (route.media !== undefined) return {};
  const own = listFields(route.params).map(({ name }) => name);
  const examples = [route.example, ...Object.values(route.otherExamples ?? {})];
  const find = (field: string): string | null => {
    if (own.includes(field)) return `$request.path.${field}`;
    const names = SLUGS.includes(field) ? SLUGS : IDENTIFIERS.has(field) ? [field] : [];
    const pointers = examples.map(({ response }) => findPointer(response, names));
    const pointer = pointers.find((one) => one !== null);
    return pointer === undefined ? null : `$response.body#${pointer}`;
  };
  const bind = (fields: readonly Field[]): Json =>
    Object.fromEntries(fields.map(({ name }) => [name, find(name)]).filter(([, found]) => found !== null));
  const isNew = ([field, expression]: readonly [string, unknown]): boolean =>
    String(expression).startsWith("$response") && (SOURCES[field] ?? route.name) === route.name;

  const toLink = (next: Route): readonly [string, Json][] => {
    const path = listFields(next.params);
    const body = listFields(next.body);
    const parameters = bind(path);
    // Optional fields of public calls (telemetry) do not justify a link.
    const requestBody = bind(body.filter(({ isRequired }) => isRequired || next.access !== "public"));
    const isBound = path.every(({ name }) => name in parameters);
    if (!isBound || ![...Object.entries(parameters), ...Object.entries(requestBody)].some(isNew)) return [];
    const isWhole = body.every(({ name, isRequired }) => name in requestBody || !isRequired);
    const hasBody = isWhole && Object.keys(requestBody).length > 0;
    const link = { operationId: next.name, parameters, ...(hasBody ? { requestBody } : {}) };
    return [[next.name, link]];
  };
  return Object.fromEntries(routes.filter((next) => next !== route && mayFollow(route, next)).flatMap(toLink));
}
