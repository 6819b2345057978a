import { expect } from "chai";
import fc from "fast-check";
import { toJsonSchema } from "../../backend/http/openapi/schema.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema
type Schema = any;

/** What JSON Schema cannot say: an address in mixed case has its checksum, and a decimal is at most 2^256 - 1. */
function createText({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === "eth-address") return fc.stringMatching(/^0x[0-9a-f]{40}$/);
  if (format === "uri") return fc.webUrl({ validSchemes: ["https"], size: "small" });
  if (format === "date-time")
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((at) => at.toISOString());
  if (format === "email") return fc.constantFrom("agent@example.org", "a.b@c.example");
  if (pattern === undefined)
    return fc.string({
      unit: fc.constantFrom(..."azAZ09-"),
      minLength,
      maxLength: Math.max(minLength, Math.min(maxLength, 300)),
    });
  return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length < 78);
}

function createValue(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.type === "object" ? undefined : (schema.anyOf ?? schema.oneOf);
  if (choices !== undefined) return fc.oneof(...choices.map(createValue));
  if (schema.type === "string") return createText(schema);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "integer" || schema.type === "number") {
    const min = schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1;
    return fc.integer({ min, max: schema.maximum ?? min + 1000 });
  }
  if (schema.type === "array")
    return fc.array(createValue(schema.items ?? {}), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 3, 3),
    });
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(([name, field]) => [name, createValue(field)] as const);
    return fc
      .record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] })
      .filter((value) => fits(schema, value as Schema));
  }
  if (schema.type === "object")
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), createValue(schema.additionalProperties ?? {}), {
      maxKeys: 3,
    });
  return fc.constantFrom("text", 1, true);
}

/** Whether an object follows the rules across its fields. */
function fits(rules: Schema, value: Schema): boolean {
  const all: readonly Schema[] = rules.allOf ?? [];
  const { anyOf, oneOf, not, required = [], dependentRequired = {}, properties = {} } = rules;
  return (
    required.every((name: string) => value[name] !== undefined) &&
    Object.entries(properties).every(
      ([name, { const: only }]: Schema) => only === undefined || value[name] === undefined || value[name] === only,
    ) &&
    Object.entries(dependentRequired).every(
      ([name, others]: Schema) =>
        value[name] === undefined || others.every((other: string) => value[other] !== undefined),
    ) &&
    all.every((one) => fits(one, value)) &&
    (anyOf === undefined || anyOf.some((one: Schema) => fits(one, value))) &&
    (oneOf === undefined || oneOf.filter((one: Schema) => fits(one, value)).length === 1) &&
    (not === undefined || !fits(not, value))
  );
}

describe("what the OpenAPI document allows", () => {
  const parts = (routes as readonly Route[]).flatMap(({ name, body, query }) =>
    [body, query].flatMap((schema) => (schema === undefined || !("shape" in schema) ? [] : [{ name, schema }])),
  );
  for (const { name, schema } of parts)
    it(`is accepted by ${name}`, () => {
      fc.assert(
        fc.property(createValue(toJsonSchema(schema)), (value) => {
          const { error } = schema.safeParse(JSON.parse(JSON.stringify(value)));
          expect(error?.issues ?? [], JSON.stringify(value)).to.deep.equal([]);
        }),
        { numRuns: 40 },
      );
    });
});
