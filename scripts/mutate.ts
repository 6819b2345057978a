/** `npm run mutate`: whether a test notices each small change of the contracts. */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { countOf, runCommand } from "./cli/command.ts";
import { EXIT, UsageError } from "./cli/failures.ts";
import { findStillborn, readSources } from "./mutate/compile.ts";
import { hunt } from "./mutate/hunt.ts";
import { keepRun, readRun } from "./mutate/last-run.ts";
import { prepare } from "./mutate/render.ts";
import { keyOf, percent, sumOf, writeReport } from "./mutate/report.ts";
import { makeWorkplace } from "./mutate/workplace.ts";
import { root } from "./start/build.ts";

/** Below this share of killed mutants a whole run fails; any run fails with a survivor that nobody has explained. */
const LEAST_KILLED = 0.95;
const DOCUMENT = "docs/mutation.md";

const FLAGS = {
  only: { type: "string", value: "TEXT", help: "only mutants of sources whose path holds TEXT; writes no document" },
  every: { type: "string", value: "N", help: "only every Nth mutant, for a sample; writes no document" },
  survivors: { type: "boolean", help: "only those that the last whole run left alive; writes the document anew" },
  jobs: { type: "string", value: "N", help: "how many at a time (default: one for each core)" },
} as const;

process.exitCode = await runCommand({
  name: "mutate",
  summary: "changes the contracts in every place, one at a time, and sees whether a test notices",
  flags: FLAGS,
  examples: ["npm run mutate", "npm run mutate -- --only RewardsV2", "npm run mutate -- --survivors"],
  async run({ flags }, terminal) {
    const { style } = terminal;
    const every = countOf("every", flags.every, 1, 1_000);
    const jobs = countOf("jobs", flags.jobs, availableParallelism(), 64);
    const { interfaces, sources } = readSources();
    const { mutants, write } = prepare(sources);
    const before = flags.survivors === true ? readRun(sources, mutants) : new Map();
    if (before === null) throw new UsageError("--survivors: there is no whole run of these contracts yet");
    const dead = new Map([...before].filter(([, { killed }]) => killed));
    const refused = findStillborn(interfaces, write);
    const chosen = mutants.filter(
      ({ id, file }) => !refused.has(id) && !dead.has(id) && file.includes(flags.only ?? "") && id % every === 0,
    );
    terminal.say(`${chosen.length} mutants; compiling them all at once, about a minute …`);
    const place = makeWorkplace(write(refused));
    try {
      await place.build();
      const hunted = await hunt(place, chosen, jobs, (verdict, done) => {
        if (!verdict.killed) terminal.say(`  ${style.bad("alive")} line ${verdict.line} ${keyOf(verdict)}`);
        if (done % 50 === 0) terminal.say(`  ${done} of ${chosen.length}`);
      });
      const verdicts = [...dead.values(), ...hunted].sort((a, b) => a.id - b.id);
      const whole = flags.only === undefined && every === 1;
      if (whole) {
        keepRun(sources, verdicts);
        writeFileSync(join(root, DOCUMENT), writeReport(verdicts, refused.size));
      }
      const sum = sumOf(verdicts);
      for (const verdict of sum.unexplained) terminal.say(`${style.bad("not explained")} ${keyOf(verdict)}`);
      const where = whole ? `; the table is in ${DOCUMENT}` : "";
      terminal.say(`${sum.killed} of ${sum.total} killed: ${percent(sum)}${where}`);
      terminal.answer({ killed: sum.killed, total: sum.total, unexplained: sum.unexplained.map(keyOf) });
      // Of a sample the share says little: one survivor more or less moves it by points.
      const isEnough = !whole || sum.killed >= LEAST_KILLED * sum.total;
      return isEnough && sum.unexplained.length === 0 ? EXIT.ok : EXIT.fault;
    } finally {
      place.remove();
    }
  },
});
