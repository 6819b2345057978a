/** `npm run lab -- mutate-ts`: checks that a test fails for each small change of the TypeScript. */
import { defineCommand, parseCount } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { installPackages } from "./install-packages.ts";
import type { Verdict } from "./mutate-ts/run-mutants.ts";

const PATHS =
  "backend/services,backend/live,backend/adapters/store,backend/adapters/chain,backend/http,backend/ws,client,domain,scripts";
/** The share of fewer changes says nothing. */
const MIN_JUDGED = 20;

export const command = defineCommand({
  name: "lab mutate-ts",
  summary: "changes the TypeScript in drawn places, one at a time, and sees whether a test notices",
  flags: {
    paths: { type: "string", value: "PATHS", help: "folders or files, with commas between", default: PATHS },
    sample: { type: "string", value: "N", help: "how many changes", default: "300" },
    seed: { type: "string", value: "N", help: "which ones", default: "1" },
    files: { type: "string", value: "N", help: "how many near files of tests to try before all others", default: "10" },
    seconds: { type: "string", value: "N", help: "starts no change after this time", default: "7200" },
    sources: { type: "string", value: "N", help: "only this number of sources, drawn by the seed" },
    tests: { type: "string", value: "FILES", help: "also tries these files of long tests, with commas between" },
    "file-seconds": { type: "string", value: "N", help: "leaves out files of tests that take longer", default: "300" },
    commits: { type: "string", value: "N", help: "only sources that the last N commits changed" },
    "at-least": { type: "string", value: "PERCENT", help: "exit code 1 if a smaller share is killed" },
    again: { type: "boolean", help: "only the survivors of earlier runs with --write" },
    write: { type: "boolean", help: "writes docs/mutation-typescript.md from the results of all runs with --write" },
  },
  examples: ["npm run lab -- mutate-ts --paths backend/services --sample 300 --seed 1"],
  async run({ flags }, terminal) {
    installPackages(terminal);
    const { listSources, drawSources, drawMutants } = await import("./mutate-ts/mutants.ts");
    const { runMutants } = await import("./mutate-ts/run-mutants.ts");
    const { isSurvivor, listChangedSources, renderGroups, storeResult, sum, writePage } = await import(
      "./mutate-ts/results.ts"
    );
    const all = listSources((flags.paths ?? PATHS).split(","));
    const commits = parseCount("commits", flags.commits, 0, 1_000);
    const changed = commits === 0 ? all : listChangedSources(all, commits);
    const seed = parseCount("seed", flags.seed, 1, 1_000_000_000);
    const sources = drawSources(changed, parseCount("sources", flags.sources, changed.length, 100_000), seed);
    const sample = parseCount("sample", flags.sample, 300, 100_000);
    const mutants =
      flags.again === true
        ? drawMutants(sources, Number.POSITIVE_INFINITY, seed).filter(isSurvivor).slice(0, sample)
        : drawMutants(sources, sample, seed);
    const limits = {
      tests: flags.tests?.split(",") ?? [],
      files: parseCount("files", flags.files, 10, 1_000),
      fileMs: 1_000 * parseCount("file-seconds", flags["file-seconds"], 300, 100_000),
      untilMs: Date.now() + 1_000 * parseCount("seconds", flags.seconds, 7_200, 1_000_000),
    };
    terminal.print(`${mutants.length} changes in ${new Set(mutants.map(({ file }) => file)).size} sources …`);
    const verdicts: Verdict[] = [];
    await runMutants(mutants, limits, terminal.print, (verdict) => {
      verdicts.push(verdict);
      if (flags.write === true) storeResult(verdict);
      const { isKilled, line, key, by } = verdict;
      if (!isKilled) terminal.print(`  ${terminal.style.bad("alive")} line ${line} ${key} (${by})`);
    });
    for (const row of renderGroups(verdicts)) terminal.print(row);
    if (flags.write === true) writePage();
    const { killed, total, share } = sum(verdicts);
    terminal.print(`note: ${killed} of ${total} killed, ${share} %`);
    terminal.printJson({ killed, total, share });
    return total >= MIN_JUDGED && share < parseCount("at-least", flags["at-least"], 0, 100) ? EXIT.error : EXIT.ok;
  },
});
