/** `client/routes-generated.ts`: a typed method for every route that `client/routes.ts` does not type by hand. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { type JsonSchema, jsonSchemaOf } from "../../backend/http/openapi-schema.ts";
import type { Route } from "../../backend/http/route.ts";
import type { RouteSpec } from "../../client/route.ts";
import { root } from "../start/build.ts";

const TOKEN_USE = { public: "none", optional: "optional", wallet: "wallet", player: "player" } as const;

/** The client's row of a route: what it sends and how it may repeat it. */
export const clientRow = (route: Route): RouteSpec => ({
  method: route.method,
  path: route.path,
  token: TOKEN_USE[route.access],
  repeat: route.creates ? "keyed" : "safe",
  ...(route.plain ? { plain: true } : {}),
  ...(route.media === undefined ? {} : { text: true }),
});

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** A JSON Schema as a TypeScript type, as far as a client's caller needs it. */
export function typeOf(schema: JsonSchema): string {
  const { type, enum: choices, const: only } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ");
  const branches = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (branches !== undefined) return branches.map(typeOf).join(" | ");
  if (Array.isArray(schema.allOf)) return (schema.allOf as JsonSchema[]).map((part) => `(${typeOf(part)})`).join(" & ");
  if (type === "array")
    return `readonly (${schema.items === undefined ? "unknown" : typeOf(schema.items as JsonSchema)})[]`;
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "integer" || type === "number") return "number";
  if (type !== "object") return "unknown";
  const required = new Set((schema.required as readonly string[] | undefined) ?? []);
  const fields = Object.entries((schema.properties ?? {}) as { readonly [name: string]: JsonSchema }).map(
    ([name, inner]) => `readonly ${key(name)}${required.has(name) ? "" : "?"}: ${typeOf(inner)}`,
  );
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const values = schema.additionalProperties;
  if (values === false) return "Record<never, never>";
  return `{ readonly [field: string]: ${typeof values === "object" ? typeOf(values as JsonSchema) : "unknown"} }`;
}

function rowText(name: string, route: Route): string {
  const parts = [route.params, route.query, route.body].filter((schema) => schema !== undefined);
  const input =
    parts.length === 0 ? "Record<never, never>" : parts.map((schema) => typeOf(jsonSchemaOf(schema))).join(" & ");
  const answer = route.media === undefined ? typeOf(jsonSchemaOf(route.response)) : "string";
  return `/** ${route.summary}. */\n${key(name)}: ${JSON.stringify(clientRow(route))} as RouteSpec<${input}, ${answer}>,`;
}

/** The file's text for the routes that `known` does not name. */
export function clientDocument(
  routes: readonly Route[],
  known: { readonly [namespace: string]: { readonly [name: string]: unknown } },
): string {
  const groups = new Map<string, string[]>();
  for (const route of routes) {
    const [namespace = "", name = ""] = route.name.split(".");
    if (known[namespace]?.[name] !== undefined) continue;
    groups.set(namespace, [...(groups.get(namespace) ?? []), rowText(name, route)]);
  }
  const text = [
    "/** Made from the service's route table by `npm run docs`: the routes that `routes.ts` does not type by hand. */",
    'import type { RouteSpec } from "./route.ts";',
    "",
    "export const GENERATED_ROUTES = {",
    ...[...groups].map(([namespace, rows]) => `${key(namespace)}: {\n${rows.join("\n")}\n},`),
    "} as const;",
    "",
  ].join("\n");
  const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  return execFileSync(process.execPath, [biome, "format", "--stdin-file-path", "client/routes-generated.ts"], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}
