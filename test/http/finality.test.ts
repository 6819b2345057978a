import { expect } from "chai";
import { z } from "zod";
import { routes } from "../../backend/http/routes/index.ts";
import { FINALITIES } from "../../domain/session.ts";

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: JsonSchema };
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** Answers with a transaction that is not in a block yet. */
const IN_NO_BLOCK: readonly string[] = [
  // The faucet of the local chain.
  "dev.faucet",
  // The console's list of open payouts.
  "console.payouts",
  // The unsigned call beside the transaction that recorded the previous score.
  "rewards.snapshot",
];

/** Each `$ref` is within the schema. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : root.$defs![name]!;
}

const listChildren = ({ items, anyOf = [], oneOf = [], allOf = [], properties = {} }: JsonSchema) => [
  ...(items === undefined ? [] : [items]),
  ...[...anyOf, ...oneOf, ...allOf],
  ...Object.values(properties),
];

/** A field `finality`, or a state that implies it if the transaction is in a block. */
function saysFinality(properties: NonNullable<JsonSchema["properties"]>, root: JsonSchema): boolean {
  const hasFinalities = (child: JsonSchema): boolean => {
    const schema = resolve(child, root);
    return FINALITIES.every((finality) => schema.enum?.includes(finality)) || listChildren(schema).some(hasFinalities);
  };
  return Object.values(properties).some(hasFinalities);
}

/** The fields of each object with a transaction but without its finality. */
function findSilentObjects(child: JsonSchema, root: JsonSchema): readonly string[] {
  const schema = resolve(child, root);
  const { properties = {} } = schema;
  const isSilent = "txHash" in properties && !saysFinality(properties, root);
  const inside = listChildren(schema).flatMap((one) => findSilentObjects(one, root));
  return [...(isSilent ? [Object.keys(properties).join()] : []), ...inside];
}

describe("answers with a transaction", () => {
  const silent = new Map<string, readonly string[]>(
    routes.map(({ name, response }) => {
      const schema = z.toJSONSchema(response, { io: "output", unrepresentable: "any" }) as JsonSchema;
      return [name, findSilentObjects(schema, schema)];
    }),
  );

  it("report how final its block is", () => {
    const names = [...silent].filter(([, objects]) => objects.length > 0).map(([name]) => name);
    expect(names).to.have.members(IN_NO_BLOCK);
  });
});
