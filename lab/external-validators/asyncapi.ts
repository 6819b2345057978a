/** Checks the AsyncAPI document with AsyncAPI's parser: structure, references, payload schemas, examples. */

import { createAsyncApiDocument } from "../../backend/http/openapi/asyncapi.ts";
import { games } from "../../games/index.ts";
import type { Check } from "./check.ts";

/** The parser's diagnostics of a document; severity 0 is an error, 1 a warning, above that advice. */
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

/** Finds examples that their payload schema rejects, which the parser does not check. */
async function validateExamples({ components }: { components?: { messages: { readonly [name: string]: Message } } }) {
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

/** Errors as `channels.play.messages: … (code)`. */
async function validateDocument(document: object): Promise<string[]> {
  // In a variable, because the package is installed on first use and the compiler may not find it.
  const parser = "@asyncapi/parser";
  const { Parser } = (await import(parser)) as {
    Parser: new () => { validate(document: unknown): Promise<readonly Diagnostic[]> };
  };
  const diagnostics = await new Parser().validate(JSON.stringify(document));
  const errors = diagnostics
    .filter(({ severity }) => severity <= WARNING)
    .map(({ path, message, code }) => `${path.join(".") || "the document"}: ${message} (${code})`);
  // An invalid schema cannot validate its examples.
  return errors.length > 0 ? errors : validateExamples(document);
}

// biome-ignore lint/suspicious/noExplicitAny: faults are injected anywhere
const FAULT_INJECTIONS: { readonly [error: string]: (document: any) => void } = {
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

export const asyncapi: Check = async ({ isSelfTest }) => {
  const slugs = games.map(({ slug }) => slug);
  const exported = createAsyncApiDocument(slugs, null);
  if (isSelfTest) {
    const missed: string[] = [];
    for (const [problem, inject] of Object.entries(FAULT_INJECTIONS)) {
      const document = structuredClone(exported);
      inject(document);
      const [first] = await validateDocument(document);
      if (first === undefined) missed.push(problem);
      else console.log(`  ${problem}: ${first}`);
    }
    return missed.length === 0 ? Object.keys(FAULT_INJECTIONS) : [];
  }
  const served = createAsyncApiDocument(slugs, "wss://arcade.example");
  const errors = [];
  for (const [name, document] of Object.entries({
    "dist/asyncapi.json": exported,
    "/asyncapi.json as served": served,
  })) {
    for (const problem of await validateDocument(document)) errors.push(`${name}: ${problem}`);
  }
  return errors;
};
