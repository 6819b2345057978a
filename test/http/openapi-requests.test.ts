import { expect } from "chai";
import fc from "fast-check";
import { createOpenApiDocument } from "../../backend/http/openapi/document.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema, and values that fit it
type Schema = any;

const document: Schema = createOpenApiDocument(routes, "/");

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split("/") ?? [];
  return name.length === 0 ? schema : document.components[name[2]][name[3]];
}

/** What a portable pattern cannot express: format and private characters beyond U+FFFF, not allowed in user text. */
const BEYOND_PATTERNS = /[\p{Cf}\p{Co}\p{Cs}]/u;
const countCharacters = (text: string): number => [...text].length;

function createText({ pattern, minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  const form = pattern === undefined ? null : new RegExp(pattern);
  const range = { minLength, maxLength: Math.min(maxLength, 300) };
  const texts = form === null ? fc.string({ unit: "binary", ...range }) : fc.stringMatching(form);
  const longest = fc.constantFrom(
    ...[..."aZ7 é🦀"].map((character) => character.repeat(range.maxLength)),
    "9".repeat(78),
  );
  return fc
    .oneof({ weight: 5, arbitrary: texts }, longest)
    .filter(
      (text) =>
        countCharacters(text) >= minLength &&
        countCharacters(text) <= maxLength &&
        (form === null || (form.test(text) && !BEYOND_PATTERNS.test(text))),
    );
}

function createObject(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties = false, propertyNames = {} } = schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, createValue(field)] as const);
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: required });
  const others =
    additionalProperties === false
      ? fc.constant({})
      : fc.dictionary(createText(propertyNames), createValue(additionalProperties), { maxKeys: 3 });
  return fc
    .tuple(others, known)
    .map(([more, own]) => ({ ...more, ...own }))
    .filter((value) => fits(schema, value));
}

function createValue(reference: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(reference);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === "object") return createObject(schema);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(createValue));
  if (schema.type === "string") return createText(schema);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "integer") {
    const min = schema.minimum ?? schema.exclusiveMinimum + 1;
    if (schema.maximum === undefined) throw new Error(`an integer without a maximum: ${JSON.stringify(schema)}`);
    return fc.integer({ min, max: schema.maximum });
  }
  if (schema.type === "array") {
    const { minItems: minLength = 0, maxItems: maxLength = 8, items = {} } = schema;
    return fc.array(createValue(items), { minLength, maxLength });
  }
  return fc.jsonValue({ maxDepth: 2 });
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

/** The parameters of one location, as text like on the wire. */
function createParameters(parameters: readonly Schema[], place: string): fc.Arbitrary<unknown> {
  const found = parameters.map(resolve).filter((one) => one.in === place);
  const values = found.map(({ name, schema }) => [name, createValue(schema).map(String)] as const);
  const requiredKeys = found.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(Object.fromEntries(values), { requiredKeys: requiredKeys as never });
}

describe("a request that fits the OpenAPI document", () => {
  for (const { name, path, method, params, query, body } of routes as readonly Route[]) {
    const { parameters, requestBody } = document.paths[path][method.toLowerCase()];
    const parts = fc.record({
      params: createParameters(parameters, "path"),
      query: createParameters(parameters, "query"),
      body: createValue(requestBody?.content["application/json"].schema ?? { type: "null" }),
    });
    it(`is valid for ${name}`, () => {
      fc.assert(
        fc.property(parts, (values) => {
          const request = JSON.parse(JSON.stringify(values));
          for (const [part, schema] of Object.entries({ params, query, body })) {
            const { error } = schema?.safeParse(request[part]) ?? {};
            expect(error?.issues ?? [], JSON.stringify(request[part])).to.deep.equal([]);
          }
          for (const value of Object.values(request.params)) expect(value, "part of a path").to.match(/^[\w-]+$/);
        }),
        { numRuns: 60 },
      );
    });
  }

  it("has a pattern for every path parameter", () => {
    const all: readonly Schema[] = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations as Schema).flatMap((operation: Schema) => operation.parameters.map(resolve)),
    );
    const paths = all.filter((parameter) => parameter.in === "path");
    expect(paths.length).to.be.greaterThan(40);
    for (const { name, schema } of paths) {
      if (schema.pattern === undefined) expect(schema, name).to.include.keys("minLength", "maxLength");
      for (const example of schema.examples ?? []) expect(example, name).to.match(new RegExp(schema.pattern));
    }
  });
});
