/** `npm run lab -- mutate`: checks that a test fails for each small change of the contracts. */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineCommand, parseCount } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { root } from "../scripts/start/build.ts";
import { findInvalidMutants, readSources } from "./mutate/compile.ts";
import { prepareMutants } from "./mutate/render.ts";
import { formatPercent, renderReport, summarize, toMutantKey } from "./mutate/report.ts";
import { runMutants, type Verdict } from "./mutate/run-mutants.ts";
import { makeSandbox } from "./mutate/sandbox.ts";

/** Below this share of killed mutants a whole run fails; any run fails with a survivor that `explained.ts` does not list. */
const MIN_KILLED_SHARE = 0.95;
/** Progress is printed after this many verdicts. */
const PRINT_EVERY = 25;
const DOCUMENT = "docs/mutation.md";

const FLAGS = {
  only: { type: "string", value: "TEXT", help: "only mutants of sources whose path holds TEXT; writes no document" },
  every: { type: "string", value: "N", help: "only every Nth mutant, for a sample; writes no document" },
  jobs: { type: "string", value: "N", help: "how many at a time (default: one for each core)" },
} as const;

export const command = defineCommand({
  name: "lab mutate",
  summary: "changes the contracts in every place, one at a time, and sees whether a test notices",
  flags: FLAGS,
  examples: ["npm run lab -- mutate", "npm run lab -- mutate --only RewardsV2"],
  async run({ flags }, terminal) {
    const { style } = terminal;
    const every = parseCount("every", flags.every, 1, 1_000);
    const jobs = parseCount("jobs", flags.jobs, availableParallelism(), 64);
    const { interfaces, sources } = readSources();
    const { mutants, write } = prepareMutants(sources);
    const invalidMutants = findInvalidMutants(interfaces, write);
    const chosen = mutants.filter(
      ({ id, file }) => !invalidMutants.has(id) && file.includes(flags.only ?? "") && id % every === 0,
    );
    terminal.print(`${chosen.length} mutants; compiling them all at once, about a minute …`);
    const sandbox = makeSandbox(write(invalidMutants));
    try {
      await sandbox.build();
      const isCompleteRun = flags.only === undefined && every === 1;
      const verdicts: Verdict[] = [];
      await runMutants(sandbox, chosen, jobs, (verdict) => {
        verdicts.push(verdict);
        if (!verdict.killed) terminal.print(`  ${style.bad("alive")} line ${verdict.line} ${toMutantKey(verdict)}`);
        if (verdicts.length % PRINT_EVERY === 0) terminal.print(`  ${verdicts.length} of ${chosen.length}`);
      });
      verdicts.sort((a, b) => a.id - b.id);
      if (isCompleteRun) writeFileSync(join(root, DOCUMENT), renderReport(verdicts, invalidMutants.size));
      const sum = summarize(verdicts);
      for (const verdict of sum.unexplained) terminal.print(`${style.bad("not explained")} ${toMutantKey(verdict)}`);
      const where = isCompleteRun ? `; the table is in ${DOCUMENT}` : "";
      terminal.print(`${sum.killed} of ${sum.total} killed: ${formatPercent(sum)}${where}`);
      terminal.printJson({ killed: sum.killed, total: sum.total, unexplained: sum.unexplained.map(toMutantKey) });
      // The share of a sample is not significant: a single survivor changes it by points.
      const isEnough = !isCompleteRun || sum.killed >= MIN_KILLED_SHARE * sum.total;
      return isEnough && sum.unexplained.length === 0 ? EXIT.ok : EXIT.error;
    } finally {
      sandbox.remove();
    }
  },
});
