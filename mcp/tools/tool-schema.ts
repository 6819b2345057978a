/** A tool's schemas for the tool list: JSON Schema with only the keywords that the clients of all models accept. */
import { z } from "zod";

type Json = { readonly [keyword: string]: unknown };

/** Dialects differ in these, or some models reject them. */
const DROPPED = new Set(["$schema", "format", "examples", "example", "id"]);

function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplify);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !DROPPED.has(key) || typeof inner === "object")
      .filter(([key, inner]) => !(key === "examples" && Array.isArray(inner)))
      .filter(([, inner]) => Math.abs(inner as number) !== Number.MAX_SAFE_INTEGER)
      .map(([key, inner]) => (key === "const" ? ["enum", [inner]] : [key, simplify(inner)])),
  );
}

/** Inlines named schemas: some clients do not follow references. */
const toJson = (schema: z.ZodType, io: "input" | "output", metadata?: typeof z.globalRegistry): Json =>
  simplify(z.toJSONSchema(schema, { io, unrepresentable: "any", ...(metadata && { metadata }) })) as Json;

/** The variants of a response, without unions and intersections. */
function listForms(schema: Json): readonly Json[] {
  const either = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;
  if (either !== undefined) return either.flatMap(listForms);
  const all = schema.allOf as readonly Json[] | undefined;
  return all === undefined
    ? [schema]
    : all
        .map(listForms)
        .reduce((forms, more) => forms.flatMap((one) => more.map((other) => merge(one, other))), [
          {},
        ] as readonly Json[]);
}

const merge = (one: Json, other: Json): Json => ({
  properties: { ...(one.properties as Json), ...(other.properties as Json) },
  required: [...((one.required as string[]) ?? []), ...((other.required as string[]) ?? [])],
});

/** An object with the fields of all variants; fields that all variants require are required. */
function toOutput(schema: z.ZodType): Json {
  const forms = listForms(toJson(schema, "input", z.registry() as typeof z.globalRegistry));
  const properties: Record<string, unknown> = {};
  for (const form of forms)
    for (const [name, field] of Object.entries((form.properties as Json) ?? {}))
      properties[name] = name in properties && JSON.stringify(properties[name]) !== JSON.stringify(field) ? {} : field;
  const required = Object.keys(properties).filter((name) =>
    forms.every((form) => ((form.required as readonly string[]) ?? []).includes(name)),
  );
  return { type: "object", properties, required };
}

/** A schema that is listed but accepts every value: the tool checks its input, so that errors have one form. */
const createListed = (json: Json) => ({
  "~standard": {
    version: 1 as const,
    vendor: "agent-arcade",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

export const toInputSchema = (schema: z.ZodObject) => createListed(toJson(schema, "input"));
export const toOutputSchema = (schema: z.ZodType | undefined) =>
  createListed(schema === undefined ? { type: "object" } : toOutput(schema));
