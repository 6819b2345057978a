/** `npm run report:functions`: functions longer than a screen. A report, which never fails. */
import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { root } from "../scripts/start/build.ts";

/** A test's `describe` is a function as long as its file, so tests are left out. */
const FOLDERS = ["backend", "client", "deploy", "scripts", "tools", "web"];
const DIAGNOSTIC = /file=(?<path>[^,]+),line=(?<line>\d+).*too many lines \((?<count>\d+)\)/g;

/** What Biome's rule reports; biome.json sets its limit. */
function findLongFunctions() {
  const options = ["--only=complexity/noExcessiveLinesPerFunction", "--max-diagnostics=none", "--reporter=github"];
  const { stdout } = spawnSync("biome", ["lint", ...options, ...FOLDERS], { cwd: root, encoding: "utf8" });
  return [...stdout.matchAll(DIAGNOSTIC)]
    .map(({ groups }) => groups as { readonly path: string; readonly line: string; readonly count: string })
    .map(({ path, line, count }) => ({ file: relative(root, path), line: Number(line), lines: Number(count) }))
    .sort((a, b) => b.lines - a.lines);
}

export const command = defineCommand({
  name: "report:functions",
  summary: "lists the functions that are longer than 60 lines, the longest first",
  examples: ["npm run report:functions"],
  async run(_input, terminal) {
    const functions = findLongFunctions();
    for (const { file, line, lines } of functions) terminal.print(`${String(lines).padStart(5)}  ${file}:${line}`);
    terminal.print(`${functions.length} functions are longer than 60 lines`);
    terminal.printJson({ ok: true, functions });
    return EXIT.ok;
  },
});
