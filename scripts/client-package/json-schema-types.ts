/** Types of TypeScript from JSON Schema, as far as the schemas of routes and messages go. */

export interface JsonSchema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
}

const SCALARS: { readonly [type: string]: string } = {
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

const toLiteral = (value: unknown): string => JSON.stringify(value);
const toUnion = (members: readonly string[]): string => [...new Set(members)].join(" | ");

export interface TypeOptions {
  /** A response has viem's `0x…` type and leaves absent fields out; a request may be any string, and `undefined`. */
  readonly isResponse: boolean;
}

function toText({ format, pattern }: JsonSchema, { isResponse }: TypeOptions): string {
  const isHex = format === "eth-address" || pattern?.startsWith("^0x") === true;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the type itself
  return isHex && isResponse ? "`0x${string}`" : "string";
}

const toComment = (description: string | undefined): string =>
  description === undefined ? "" : `/** ${description.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */ `;

/** The fields of an object, `name: type; …`. */
export function toFields(schema: JsonSchema, options: TypeOptions): string[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name);
    const end = isRequired || options.isResponse ? "" : " | undefined";
    return `${toComment(field.description)}readonly ${JSON.stringify(name)}${isRequired ? "" : "?"}: ${toType(field, options)}${end}`;
  });
  if (typeof additionalProperties !== "object") return fields;
  // Beside named fields of other types, an index can only be `unknown`.
  const value = fields.length > 0 ? "unknown" : toType(additionalProperties, options);
  return [...fields, `readonly [field: string]: ${value}`];
}

/** Throws for a keyword that no schema of ours has used so far. */
export function toType(schema: JsonSchema, options: TypeOptions): string {
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) return $ref.split("/").at(-1)!;
  if ("const" in schema) return toLiteral(schema.const);
  if (schema.enum !== undefined) return toUnion(schema.enum.map(toLiteral));
  const union = anyOf ?? oneOf;
  if (union !== undefined) return `(${toUnion(union.map((member) => toType(member, options)))})`;
  if (allOf !== undefined) return `(${allOf.map((member) => toType(member, options)).join(" & ")})`;
  if (Array.isArray(type)) return toUnion(type.map((each: string) => toType({ ...schema, type: each }, options)));
  if (type === "object") return `{ ${toFields(schema, options).join("; ")} }`;
  if (type === "array") {
    if (schema.prefixItems !== undefined)
      return `readonly [${schema.prefixItems.map((item) => toType(item, options)).join(", ")}]`;
    return `readonly (${toType(schema.items ?? {}, options)})[]`;
  }
  if (type === "string") return toText(schema, options);
  if (type === undefined) return "unknown";
  const scalar = SCALARS[String(type)];
  if (scalar === undefined)
    throw new Error(`a schema has the type ${JSON.stringify(type)}, which no type is known for`);
  return scalar;
}
