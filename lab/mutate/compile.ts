/** The syntax tree of the contracts, and which mutants the compiler rejects. */
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import type { Node } from "./ast.ts";
import { BASE_GAS_LIMIT, type Source } from "./render.ts";

interface Output {
  readonly errors?: readonly {
    readonly severity: string;
    readonly formattedMessage: string;
    readonly sourceLocation?: { readonly file: string; readonly start: number; readonly end: number };
  }[];
  readonly sources?: { readonly [file: string]: { readonly ast: Node } };
}

const solc = createRequire(import.meta.url)("solc") as {
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
};

/** Analysis only: no code is generated. */
function analyze(contents: ReadonlyMap<string, string>, outputs: readonly string[]): Output {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries([...contents].map(([file, content]) => [file, { content }])),
    settings: { evmVersion: "cancun", outputSelection: { "*": { "": outputs } } },
  };
  const readImport = (path: string) => ({ contents: readFileSync(join(root, "node_modules", path), "utf8") });
  return JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })) as Output;
}

/** Sources of the contracts, without interfaces (nothing in them runs) and tests. */
export function readSources(): {
  readonly interfaces: ReadonlyMap<string, string>;
  readonly sources: readonly Source[];
} {
  const read = (pattern: string): Map<string, string> =>
    new Map(
      globSync(pattern, { cwd: root })
        .sort()
        .map((file) => [file, readFileSync(join(root, file), "utf8")]),
    );
  const contents = new Map([...read("contracts/*.sol"), ...read("contracts/{mixins,types}/*.sol")]);
  const interfaces = read("contracts/interfaces/*.sol");
  const { errors = [], sources } = analyze(new Map([...contents, ...interfaces]), ["ast"]);
  const compileError = errors.find(({ severity }) => severity === "error");
  if (compileError !== undefined) throw new Error(`The contracts do not compile:\n${compileError.formattedMessage}`);
  return {
    interfaces,
    sources: [...contents].map(([file, content]) => ({ file, content, ast: sources![file]!.ast })),
  };
}

const MUTANT_ID = /gaslimit == (\d+)|mutant_\((\d+)|(\d{10,})/g;

/**
 * Numbers of the mutants that do not compile: calls `write` again without them until the compiler accepts the rest.
 * Throws the compiler's message for an error outside all mutants.
 */
export function findInvalidMutants(
  interfaces: ReadonlyMap<string, string>,
  write: (without: ReadonlySet<number>) => Map<string, string>,
): ReadonlySet<number> {
  const invalid = new Set<number>();
  for (;;) {
    const written = write(invalid);
    const texts = new Map([
      ...written,
      ...[...interfaces].map(([f, c]) => [f, c.replace(/\bpure\b/g, "view")] as const),
    ]);
    const errors = (analyze(texts, []).errors ?? []).filter(({ severity }) => severity === "error");
    if (errors.length === 0) return invalid;
    const before = invalid.size;
    for (const { sourceLocation: at } of errors) {
      const code = at === undefined ? "" : (written.get(at.file) ?? "").slice(at.start, at.end);
      const ids = [...code.matchAll(MUTANT_ID)].map(
        (match) => Number(match[1] ?? match[2] ?? match[3]) - BASE_GAS_LIMIT,
      );
      for (const id of ids) if (id > 0 && id < 100_000) invalid.add(id);
    }
    if (invalid.size === before)
      throw new Error(
        errors
          .map((error) => error.formattedMessage)
          .slice(0, 3)
          .join("\n"),
      );
  }
}
