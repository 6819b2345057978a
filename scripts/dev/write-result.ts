/** Results of commands: files in `dist/`, which is not in git. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../start/build.ts";

/** Writes `dist/NAME` and returns its path in the repository. */
export function writeResult(name: string, value: object): string {
  const path = `dist/${name}`;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`);
  return path;
}
