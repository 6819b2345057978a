/** JSON Schema (2020-12) of a route's zod schemas, in the form OpenAPI 3.1 embeds, and examples made from it. */
import { z } from "zod";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** `example` is a meta word of ours; JSON Schema knows the plural alone. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "$schema")
      .map(([key, inner]) => (key === "example" ? ["examples", [inner]] : [key, tidy(inner)])),
  );
}

/** What may be sent or comes back over the wire: the schema before any transformation. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  tidy(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })) as JsonSchema;

/** Values by which examples become recognizable; the key is a field's name. */
const BY_NAME: { readonly [field: string]: unknown } = {
  slug: "shellrunners",
  gameSlug: "shellrunners",
  game: "shellrunners",
  agentName: "Pinch",
  signature: `0x${"5a".repeat(64)}1b`,
  data: "0x00",
  amount: "42000000000000000000",
  nonce: "0",
  deadline: "1893456000",
  price: "1000000000000000000",
  sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab",
  wsUrl: "ws://127.0.0.1:4100/ws/shellrunners/play?sessionId=0190f1d5-7c4e-7abc-8def-0123456789ab",
  message: "127.0.0.1:4100 wants you to sign in with your Ethereum account: …",
  accessToken: "aa_…",
  refreshToken: "ar_…",
  playToken: "ap_…",
  token: "as_…",
  tokenId: "1",
  agentId: "1",
  email: "agent@example.org",
};

function exampleString(schema: JsonSchema): string {
  const { format, pattern } = schema;
  if (format === "date-time") return "2030-01-01T00:00:00.000Z";
  if (format === "eth-address") return "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  if (format === "uri") return "https://example.org";
  if (format === "email") return "agent@example.org";
  if (typeof pattern === "string" && pattern.startsWith("^0x")) return `0x${"ab".repeat(32)}`;
  if (typeof pattern === "string" && pattern.includes("\\d")) return "1";
  return "text";
}

/** One value that fits the schema, as far as its words tell; the same every time. */
export function exampleOf(schema: JsonSchema, name = ""): unknown {
  const { examples, type, enum: choices, const: only, default: fallback } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(type)) return exampleOf({ ...schema, type: type[0] }, name);
  const branches = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (branches !== undefined) return exampleOf(branches[0]!, name);
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...(schema.allOf as JsonSchema[]).map((part) => exampleOf(part, name)));
  }
  if (type === "object") {
    const required = new Set((schema.required as readonly string[] | undefined) ?? []);
    const properties = (schema.properties ?? {}) as { readonly [field: string]: JsonSchema };
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([field]) => required.has(field))
        .map(([field, inner]) => [field, exampleOf(inner, field)]),
    );
  }
  if (type === "array") return schema.items === undefined ? [] : [exampleOf(schema.items as JsonSchema, name)];
  if (fallback !== undefined) return fallback;
  if (type === "string") return typeof BY_NAME[name] === "string" ? BY_NAME[name] : exampleString(schema);
  if (type === "integer" || type === "number") return Math.max(1, Number(schema.minimum ?? 1));
  if (type === "boolean") return true;
  return type === "null" ? null : {};
}
