/** JSON Schema (2020-12) of the routes' zod schemas, in the form that OpenAPI 3.1 embeds. */
import { z } from "zod";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const mapValues = (fields: object, map: (value: unknown) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));

/**
 * `example` is our own metadata keyword; JSON Schema has only the plural. Named schemas become components. Bounds that
 * are JavaScript's safe integers matter only in requests.
 */
function normalizeSchema(value: unknown, isRequest: boolean): unknown {
  const normalize = (inner: unknown): unknown => normalizeSchema(inner, isRequest);
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => isRequest || Math.abs(inner) !== Number.MAX_SAFE_INTEGER)
      .map(([key, inner]) => {
        // The keys of `properties` are names of fields, not keywords.
        if (key === "properties") return [key, mapValues(inner, normalize)];
        if (key === "example") return ["examples", [inner]];
        if (key === "$ref") return [key, String(inner).replace("#/$defs/", "#/components/schemas/")];
        return [key, normalize(inner)];
      }),
  );
}

/** Turns schemas into JSON Schema and collects those with an id (`.meta({ id })`) as components. */
export class SchemaComponents {
  readonly #components = new Map<string, JsonSchema>();

  /** What may be sent or received: the schema before any transformation; a reference if it has an id. */
  toJsonSchema(schema: z.ZodType, { isRequest = false } = {}): JsonSchema {
    // Zod writes a definition only for schemas inside the converted one.
    const { properties, $defs } = z.toJSONSchema(z.object({ schema }), { io: "input", unrepresentable: "any" });
    for (const [id, component] of Object.entries($defs ?? {}))
      this.#components.set(id, normalizeSchema(component, isRequest) as JsonSchema);
    return normalizeSchema(properties!.schema, isRequest) as JsonSchema;
  }

  toComponents(): { readonly [id: string]: JsonSchema } {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** The JSON Schema of a schema that does not refer to components. */
export const toJsonSchema = (schema: z.ZodType): JsonSchema => new SchemaComponents().toJsonSchema(schema);
