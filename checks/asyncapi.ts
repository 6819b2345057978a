/** The AsyncAPI document in the judgement of AsyncAPI's own parser: structure, references, payload schemas, examples. */
import { readFileSync } from "node:fs";
import { games } from "../backend/games/index.ts";
import { asyncApiDocument } from "../backend/http/asyncapi.ts";
import type { Check } from "./check.ts";

/** What the parser says of a document; severity 0 is an error, 1 a warning, above that advice. */
interface Diagnostic {
  readonly severity: number;
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const WARNING = 1;

interface Message {
  readonly payload: object;
  readonly examples?: readonly { readonly payload: unknown }[];
}

/** Examples that their own payload schema refuses: the parser does not look at them. */
async function exampleFaultsOf({ components }: { components?: { messages: { readonly [name: string]: Message } } }) {
  const validator = "ajv/dist/2020.js";
  const { Ajv2020 } = (await import(validator)) as {
    Ajv2020: new (options: object) => { validate(schema: object, data: unknown): boolean; errorsText(): string };
  };
  return Object.entries(components?.messages ?? {}).flatMap(([name, { payload, examples = [] }]) =>
    examples.flatMap((example) => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      return ajv.validate(payload, example.payload)
        ? []
        : [`components.messages.${name}.examples: ${ajv.errorsText()} (example)`];
    }),
  );
}

/** Faults as `channels.play.messages: … (code)`. */
async function faultsOf(document: object): Promise<string[]> {
  // Named in a variable: the package is installed on first use, so the compiler may not find it.
  const parser = "@asyncapi/parser";
  const { Parser } = (await import(parser)) as {
    Parser: new () => { validate(document: unknown): Promise<readonly Diagnostic[]> };
  };
  const diagnostics = await new Parser().validate(JSON.stringify(document));
  const faults = diagnostics
    .filter(({ severity }) => severity <= WARNING)
    .map(({ path, message, code }) => `${path.join(".") || "the document"}: ${message} (${code})`);
  // A schema that is none cannot judge its examples.
  return faults.length > 0 ? faults : exampleFaultsOf(document);
}

// biome-ignore lint/suspicious/noExplicitAny: faults are planted anywhere
const PLANTED: { readonly [fault: string]: (document: any) => void } = {
  "a reference to nothing": ({ channels }) => {
    channels.play.messages.frame.$ref = "#/components/messages/frames";
  },
  "a message that its channel does not list": ({ operations }) => {
    operations.sendToSpectate.messages.push({ $ref: "#/channels/play/messages/cmd" });
  },
  "a payload that is no JSON Schema": ({ components }) => {
    components.messages.cmd.payload.type = "thing";
  },
  "an example that its payload refuses": ({ components }) => {
    components.messages.input.examples[0].payload.dir = 7;
  },
  "an action that does not exist": ({ operations }) => {
    operations.sendToPlay.action = "shout";
  },
};

export const asyncapi: Check = async ({ planted }) => {
  const inGit: object = JSON.parse(readFileSync(new URL("../docs/asyncapi.json", import.meta.url), "utf8"));
  if (planted) {
    const missed: string[] = [];
    for (const [fault, plant] of Object.entries(PLANTED)) {
      const document = structuredClone(inGit);
      plant(document);
      const [first] = await faultsOf(document);
      if (first === undefined) missed.push(fault);
      else console.log(`  ${fault}: ${first}`);
    }
    return missed.length === 0 ? Object.keys(PLANTED) : [];
  }
  const served = asyncApiDocument(
    games.map(({ slug }) => slug),
    "wss://arcade.example",
  );
  const faults = [];
  for (const [name, document] of Object.entries({ "docs/asyncapi.json": inGit, "/asyncapi.json as served": served })) {
    for (const fault of await faultsOf(document)) faults.push(`${name}: ${fault}`);
  }
  return faults;
};
