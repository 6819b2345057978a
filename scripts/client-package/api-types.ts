/** Declarations that stand in the package where the repository infers types from zod schemas. */
import { z } from "zod";
import type { Route } from "../../backend/http/routing/route.ts";
import {
  compactMessage,
  endMessage,
  eventMessage,
  frameBody,
  frameMessage,
  helloMessage,
  serverMessage,
} from "../../domain/protocol/messages.ts";
import { type JsonSchema, toFields, toType } from "./json-schema-types.ts";

const HEAD = "// Generated from the service's schemas.\n";

/** Collects the named schemas, so that each becomes one interface. */
class Types {
  readonly #named = new Map<string, string>();

  #toSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const { properties, $defs } = z.toJSONSchema(z.object({ schema }), { io, unrepresentable: "any" });
    for (const [name, definition] of Object.entries($defs ?? {}))
      this.#named.set(name, toType(definition as JsonSchema, { isResponse: true }));
    return properties!.schema as JsonSchema;
  }

  toOutput(schema: z.ZodType): string {
    return toType(this.#toSchema(schema, "output"), { isResponse: true });
  }

  /** The fields of a request; of a query also the booleans that its texts stand for. */
  toInputFields(schema: z.ZodType | undefined, isQuery: boolean): string {
    if (schema === undefined) return "{}";
    const json = this.#toSchema(schema, "input");
    if (json.type !== "object") return toType(json, { isResponse: false });
    const fields = toFields(isQuery ? allowBooleans(json) : json, { isResponse: false });
    return `{ ${fields.join("; ")} }`;
  }

  toDeclarations(): string[] {
    return [...this.#named].map(([name, type]) => `export type ${name} = ${type};`);
  }
}

const isFlag = ({ enum: values }: JsonSchema): boolean => values?.includes("true") === true;

const allowBooleans = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [
      name,
      isFlag(field) ? { anyOf: [{ enum: field.enum! }, { type: "boolean" }] } : field,
    ]),
  ),
});

/** In place of `client/api-types.d.ts`. */
export function renderApiTypes(routes: readonly Route[]): string {
  const types = new Types();
  const rows = routes.map(({ name, params, query, body, response, summary }) => {
    const input = [
      types.toInputFields(params, false),
      types.toInputFields(query, true),
      types.toInputFields(body, false),
    ].filter((part) => part !== "{}" && part !== "{  }");
    const joined = input.length === 0 ? "{}" : input.join(" & ");
    return `  /** ${summary}. */\n  readonly ${JSON.stringify(name)}: { readonly input: ${joined}; readonly answer: ${types.toOutput(response)} };`;
  });
  return [
    HEAD,
    ...types.toDeclarations(),
    "",
    "export interface Routes {",
    ...rows,
    "}",
    "",
    "export type RouteName = keyof Routes;",
    "/** A route's flat input: fields of the path, the rest is the body (POST) or the query (GET). */",
    'export type Input<Name extends RouteName> = { [Key in keyof Routes[Name]["input"]]: Routes[Name]["input"][Key] };',
    "/** A route's response, without the envelope. */",
    'export type Answer<Name extends RouteName> = Routes[Name]["answer"];',
    "",
  ].join("\n");
}

const MESSAGES = {
  HelloMessage: helloMessage,
  FrameBody: frameBody,
  FrameMessage: frameMessage,
  EventMessage: eventMessage,
  EndMessage: endMessage,
  CompactMessage: compactMessage,
  ServerMessage: serverMessage,
};

/** In place of `domain/protocol/messages.d.ts`. */
export function renderMessageTypes(): string {
  const types = new Types();
  const declarations = Object.entries(MESSAGES).map(
    ([name, schema]) => `export type ${name} = ${types.toOutput(schema)};`,
  );
  return [HEAD, ...types.toDeclarations(), ...declarations, ""].join("\n");
}
