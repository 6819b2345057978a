/** `npm run lab -- bench`: runs benchmarks of lab/bench/, which has its own packages. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { updateDocument } from "../scripts/dev/docs/update-document.ts";
import { writeResult } from "../scripts/dev/write-result.ts";
import { root } from "../scripts/start/build.ts";
import { type BenchmarkRun, runBenchmark, testBenchmark } from "./bench/compare/run.ts";
import type { Benchmark } from "./bench/compare/types.ts";
import { installPackages } from "./install-packages.ts";
import { addRun, BENCHMARKS_DOCUMENT } from "./pages/benchmarks.ts";

const FOLDER = "lab/bench";

const listBenchmarks = (): readonly string[] =>
  globSync("*.ts", { cwd: join(root, FOLDER), exclude: ["*.d.ts"] })
    .map((file) => basename(file, ".ts"))
    .sort();

const loadBenchmark = async (name: string): Promise<Benchmark> =>
  ((await import(join(root, FOLDER, `${name}.ts`))) as { readonly benchmark: Benchmark }).benchmark;

function chooseBenchmarks(names: readonly string[]): readonly string[] {
  const known = listBenchmarks();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UsageError(`NAME: expected ${known.join(", ")}, received ${unknown.join(", ")}`);
  return names.length > 0 ? names : known;
}

/** Stores a run in dist/bench/ and, if `isWritten`, in the document. A run with a void row replaces nothing. */
function storeRun(run: BenchmarkRun, isWritten: boolean, terminal: Terminal): void {
  if (run.voidRows.length > 0) return;
  const path = writeResult(`bench/${run.name}.json`, run);
  if (isWritten) updateDocument(BENCHMARKS_DOCUMENT, (text) => addRun(text, run));
  terminal.print(`wrote ${isWritten ? `${path} and ${BENCHMARKS_DOCUMENT}; then \`npm run docs\`` : path}`);
}

export const command = defineCommand({
  name: "lab bench",
  summary: "runs benchmarks beside comparable programs; installs these on first use",
  args: { names: { value: "NAME", help: "benchmarks to run; all when left out", count: "any" } },
  flags: {
    quick: { type: "boolean", help: "small loads and few rounds: a first look, no figures" },
    write: { type: "boolean", help: `puts the figures of each run into ${BENCHMARKS_DOCUMENT}` },
    "self-test": { type: "boolean", help: "checks that each benchmark finds an idle side that does nothing" },
  },
  examples: [
    "npm run lab -- bench signing",
    "npm run lab -- bench fan-out --write",
    "npm run lab -- bench --self-test",
  ],
  notes: [
    `Benchmarks: ${listBenchmarks().join(", ")}.`,
    "A missed bar is reported; the exit code is 1 if a side did not do its work, so that its row has no figure.",
  ],
  async run({ args: { names }, flags }, terminal) {
    const chosen = chooseBenchmarks(names);
    if (flags.quick === true && flags.write === true) throw new UsageError("--write: not with --quick");
    installPackages(terminal);
    const runs: BenchmarkRun[] = [];
    for (const name of chosen) {
      const benchmark = await loadBenchmark(name);
      if (flags["self-test"] === true) {
        await testBenchmark(name, benchmark, terminal.print);
        continue;
      }
      const run = await runBenchmark(name, benchmark, { isQuick: flags.quick === true }, terminal.print);
      if (flags.quick !== true) storeRun(run, flags.write === true, terminal);
      runs.push(run);
    }
    const ok = runs.every(({ voidRows }) => voidRows.length === 0);
    terminal.printJson({ ok, benchmarks: chosen, runs });
    return ok ? EXIT.ok : EXIT.error;
  },
});
