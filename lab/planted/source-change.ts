/** Plants faults: changes lines of the product while its modules are loaded, in this process only. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/start/build.ts";

export interface SourceChange {
  /** Below the root. */
  readonly file: string;
  /** A text that the file has once. */
  readonly line: string;
  readonly replacement: string;
}

/** Throws where the text does not have the line exactly once, so that no fault is planted in vain. */
export function changeLine(text: string, { file, line, replacement }: SourceChange): string {
  const parts = text.split(line);
  if (parts.length !== 2) throw new Error(`${file}: expected "${line}" once, found it ${parts.length - 1} times`);
  return parts.join(replacement);
}

/** Call it before the product is imported. */
export function changeOnLoad(changes: readonly SourceChange[]): void {
  const byUrl = Map.groupBy(changes, ({ file }) => pathToFileURL(join(root, file)).href);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const ofFile = byUrl.get(url);
      return ofFile === undefined ? loaded : { ...loaded, source: ofFile.reduce(changeLine, String(loaded.source)) };
    },
  });
}
