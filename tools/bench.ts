/** `npm run bench`: runs benchmarks of tools/bench/, which has its own packages. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import { root } from "../scripts/start/build.ts";
import { installPackages } from "./install-packages.ts";

const FOLDER = "tools/bench";

const listBenchmarks = (): readonly string[] =>
  globSync("*.ts", { cwd: join(root, FOLDER) })
    .map((file) => basename(file, ".ts"))
    .sort();

export const command = defineCommand({
  name: "bench",
  summary: "runs benchmarks; installs what they compare with on first use",
  args: { names: { value: "NAME", help: "benchmarks to run; all when left out", count: "any" } },
  examples: ["npm run bench -- signing", "npm run bench"],
  notes: [`Benchmarks: ${listBenchmarks().join(", ")}.`],
  async run({ args: { names } }, terminal) {
    const known = listBenchmarks();
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0) throw new UsageError(`NAME: expected ${known.join(", ")}, received ${unknown.join(", ")}`);
    // Benchmarks print with console.log; stdout belongs to JSON here.
    if (terminal.json) console.log = console.error;
    installPackages(FOLDER, terminal);
    const chosen = names.length > 0 ? names : known;
    for (const name of chosen) {
      const { run } = (await import(join(root, FOLDER, `${name}.ts`))) as { run: () => Promise<void> };
      await run();
    }
    terminal.printJson({ ok: true, benchmarks: chosen });
    return EXIT.ok;
  },
});
