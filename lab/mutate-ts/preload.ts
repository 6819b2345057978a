/**
 * Loaded before the product (`--import`) in the test process and all processes that it starts: loads the sources with
 * their switches, and records which switches a process reaches.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const { MUTANT_ROOT = "", MUTANT_SOURCES = "" } = process.env;
const reached = new Set<number>();

Object.assign(globalThis, {
  $mutant(id: number): boolean {
    const { MUTANT_HITS, MUTANT_ON } = process.env;
    if (MUTANT_HITS !== undefined && !reached.has(id)) {
      reached.add(id);
      appendFileSync(MUTANT_HITS, `${id}\n`);
    }
    return MUTANT_ON !== undefined && Number(MUTANT_ON) === id;
  },
  $forgetReached: () => reached.clear(),
});

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith("file:") || !url.endsWith(".ts")) return loaded;
    const path = fileURLToPath(url);
    const changed = join(MUTANT_SOURCES, path.slice(MUTANT_ROOT.length));
    const isChanged = path.startsWith(MUTANT_ROOT) && existsSync(changed);
    return isChanged ? { ...loaded, source: readFileSync(changed, "utf8") } : loaded;
  },
});
