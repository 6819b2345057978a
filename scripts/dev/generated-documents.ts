import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "../cli/failures.ts";
import type { Terminal } from "../cli/terminal.ts";
import { root } from "../start/build.ts";

/** Paths of generated files and their expected text. */
export type GeneratedDocuments = { readonly [path: string]: string };

/** Paths of generated files that differ from their sources. */
export const findStaleDocuments = (documents: GeneratedDocuments): readonly string[] =>
  Object.keys(documents).filter((path) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, "utf8") !== documents[path];
  });

/** Writes the documents that are not current; with `isCheck` only reports them. Returns the exit code. */
export function updateDocuments(
  documents: GeneratedDocuments,
  { isCheck, writtenBy }: { readonly isCheck: boolean; readonly writtenBy: string },
  terminal: Terminal,
): number {
  const stale = findStaleDocuments(documents);
  terminal.printJson({ ok: !isCheck || stale.length === 0, stale });
  if (isCheck) {
    for (const path of stale) process.stderr.write(`${path} is not current: run ${writtenBy}\n`);
    return stale.length === 0 ? EXIT.ok : EXIT.error;
  }
  for (const path of stale) writeFileSync(join(root, path), documents[path]!);
  terminal.print(stale.length === 0 ? "every document is current" : `wrote ${stale.join(", ")}`);
  return EXIT.ok;
}
