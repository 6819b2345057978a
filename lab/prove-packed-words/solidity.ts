/** Reads the packed words' Solidity: abstract syntax trees of functions and constants, and the layouts drawn above them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { replaceOnce } from "../injected/replace-once.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: solc describes its tree by documentation only
export type AstNode = any;

export interface SourceFile {
  /** File name without `.sol`. */
  readonly name: string;
  readonly text: string;
  /** Free functions, and functions of contracts, by name. */
  readonly functions: ReadonlyMap<string, AstNode>;
  readonly constants: ReadonlyMap<string, AstNode>;
}

/** Bits of a field, from the lowest. */
export interface Field {
  readonly name: string;
  readonly offset: number;
  readonly bits: number;
}

/** A text that replaces another in a source before it is compiled. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const FILES = [...readdirSync(`${root}contracts/types`).map((name) => `types/${name}`), "mixins/DigestUri.sol"];

function readText(path: string, change: Change | null): string {
  const text = readFileSync(`${root}contracts/${path}`, "utf8");
  if (change === null || path !== change.file) return text;
  return replaceOnce(text, change.from, change.to);
}

/** Parses all files, after `change` where one is given. Throws with the compiler's messages. */
export function readSources(change: Change | null = null): ReadonlyMap<string, SourceFile> {
  const solc = createRequire(import.meta.url)("solc") as { compile: (input: string, callbacks: object) => string };
  const sources = Object.fromEntries(FILES.map((path) => [`contracts/${path}`, { content: readText(path, change) }]));
  const settings = { outputSelection: { "*": { "": ["ast"] } } };
  const findImport = (path: string) => {
    const found = [root + path, `${root}node_modules/${path}`].find((one) => existsSync(one));
    return found === undefined ? { error: `no ${path}` } : { contents: readFileSync(found, "utf8") };
  };
  const input = JSON.stringify({ language: "Solidity", sources, settings });
  const output = JSON.parse(solc.compile(input, { import: findImport }));
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === "error");
  if (errors.length > 0)
    throw new Error(errors.map((error: { formattedMessage: string }) => error.formattedMessage).join(""));
  return new Map(
    FILES.map((path) => {
      const name = path.replace(/^.*\/|\.sol$/g, "");
      const nodes: AstNode[] = output.sources[`contracts/${path}`].ast.nodes;
      const all = nodes.flatMap((node) => (node.nodeType === "ContractDefinition" ? node.nodes : [node]));
      const byName = (type: string): ReadonlyMap<string, AstNode> =>
        new Map(all.filter(({ nodeType }) => nodeType === type).map((node) => [node.name as string, node]));
      const text = readText(path, change);
      return [name, { name, text, functions: byName("FunctionDefinition"), constants: byName("VariableDeclaration") }];
    }),
  );
}

/** The fields that a file draws below `Layout, highest bits first:`. Throws where they do not fill the word. */
export function readLayout({ name, text }: SourceFile, wordBits: number): readonly Field[] {
  const drawn = /Layout, highest bits first:\n((?: \* .+\n)+)/.exec(text)?.[1];
  if (drawn === undefined) throw new Error(`${name}: no layout is drawn`);
  const parts = drawn.replaceAll(/\n? \* /g, " ").split("|");
  let offset = wordBits;
  const fields = parts.map((part) => {
    const match = /^\s*(\d+) bits? (?:for )?(\S.*?)\s*$/.exec(part);
    if (match === null) throw new Error(`${name}: cannot read "${part}"`);
    offset -= Number(match[1]);
    return { name: match[2]!, offset, bits: Number(match[1]) };
  });
  if (offset !== 0) throw new Error(`${name}: the layout has ${wordBits - offset} bits, not ${wordBits}`);
  return fields;
}
