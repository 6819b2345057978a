/** The syntax tree of the contracts, and which mutants the compiler refuses. */
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../start/build.ts";
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

/** Analysis alone: no code is generated. */
function analyse(contents: ReadonlyMap<string, string>, outputs: readonly string[]): Output {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries([...contents].map(([file, content]) => [file, { content }])),
    settings: { evmVersion: "cancun", outputSelection: { "*": { "": outputs } } },
  };
  const find = (path: string) => ({ contents: readFileSync(join(root, "node_modules", path), "utf8") });
  return JSON.parse(solc.compile(JSON.stringify(input), { import: find })) as Output;
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
  const [own, base] = [read("contracts/*.sol"), read("contracts/base/*.sol")];
  const interfaces = read("contracts/interfaces/*.sol");
  const contents = new Map([...own, ...base]);
  const { errors = [], sources } = analyse(new Map([...contents, ...interfaces]), ["ast"]);
  const refused = errors.find(({ severity }) => severity === "error");
  if (refused !== undefined) throw new Error(`The contracts do not compile:\n${refused.formattedMessage}`);
  return {
    interfaces,
    sources: [...contents].map(([file, content]) => ({ file, content, ast: sources![file]!.ast })),
  };
}

const IDS = /gaslimit == (\d+)|mutant_\((\d+)|(\d{10,})/g;

/**
 * Mutants that are no Solidity, by their numbers: `write` is asked again without them until the compiler is content.
 * Throws what it says when an error has no mutant in it.
 */
export function findStillborn(
  interfaces: ReadonlyMap<string, string>,
  write: (without: ReadonlySet<number>) => Map<string, string>,
): ReadonlySet<number> {
  const stillborn = new Set<number>();
  for (;;) {
    const written = write(stillborn);
    const texts = new Map([
      ...written,
      ...[...interfaces].map(([f, c]) => [f, c.replace(/\bpure\b/g, "view")] as const),
    ]);
    const errors = (analyse(texts, []).errors ?? []).filter(({ severity }) => severity === "error");
    if (errors.length === 0) return stillborn;
    const before = stillborn.size;
    for (const { sourceLocation: at } of errors) {
      const words = at === undefined ? "" : (written.get(at.file) ?? "").slice(at.start, at.end);
      const ids = [...words.matchAll(IDS)].map((match) => Number(match[1] ?? match[2] ?? match[3]) - BASE_GAS_LIMIT);
      for (const id of ids) if (id > 0 && id < 100_000) stillborn.add(id);
    }
    if (stillborn.size === before)
      throw new Error(
        errors
          .map((error) => error.formattedMessage)
          .slice(0, 3)
          .join("\n"),
      );
  }
}
