import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../start/build.ts";

/** Rewrites a document of the repository from its own text. */
export function updateDocument(path: string, update: (text: string) => string): void {
  writeFileSync(join(root, path), update(readFileSync(join(root, path), "utf8")));
}
