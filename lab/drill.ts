/** `npm run lab -- drill`: runs the drills of lab/drill/list.ts, one after the other, and ends with a table of them. */
import { getEnvironment } from "../backend/config/environment.ts";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import { formatTable } from "../scripts/cli/style.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { updateDocument } from "../scripts/dev/docs/update-document.ts";
import { writeResult } from "../scripts/dev/write-result.ts";
import { readMachine } from "./bench/compare/machine.ts";
import type { Drill } from "./drill/drill.ts";
import { DRILLS } from "./drill/list.ts";
import { type DrillResult, isGood, runDrill } from "./drill/run.ts";
import { runTries, TRIES } from "./drill/tries.ts";
import { DRILLS_DOCUMENT, renderDrillsDocument } from "./pages/drills.ts";

const IDS = DRILLS.map(({ id }) => id);
/** The seed of the short set. With the same faults in every run, only a code change can turn a run red. */
const CI_SEED = 1;

function chooseDrills(ids: readonly string[], isCi: boolean): readonly Drill[] {
  const unknown = ids.filter((id) => !IDS.includes(id));
  if (unknown.length > 0) throw new UsageError(`ID: expected ${IDS.join(", ")}, received ${unknown.join(", ")}`);
  return DRILLS.filter(({ id, ciShare }) => (ids.length > 0 ? ids.includes(id) : !isCi || ciShare > 0));
}

function getShare({ ciShare }: Drill, isCi: boolean): number {
  const { DRILL_SHARE } = getEnvironment();
  if (DRILL_SHARE !== undefined) return Number(DRILL_SHARE);
  return isCi && ciShare > 0 ? ciShare : 1;
}

/** Stores a result in dist/drills/ and, with `--write`, in the document. A failed result replaces nothing there. */
function storeResult(
  result: DrillResult,
  { isSelfTest, isWritten }: { isSelfTest: boolean; isWritten: boolean },
): void {
  const stored = { ...result, measuredAt: new Date().toISOString(), machine: readMachine(), isSelfTest };
  writeResult(`drills/${result.id}${isSelfTest ? ".injected" : ""}.json`, stored);
  if (isWritten && isGood(result)) updateDocument(DRILLS_DOCUMENT, (text) => renderDrillsDocument(text, stored));
}

function printSummary(results: readonly DrillResult[], terminal: Terminal): void {
  const cells = results.map(({ id, verdict, seconds, seed, share, passed, failures }) => [
    ...[id, verdict, `${seconds} s`, String(seed), String(share), String(passed), String(failures.length)],
    DRILLS.find((drill) => drill.id === id)!.what,
  ]);
  const headings = ["drill", "verdict", "time", "seed", "share", "passed", "failed", "what"];
  terminal.print(`\n${formatTable(headings, cells, terminal.style, [2, 3, 4, 5, 6])}\n`);
  const bad = results.filter((result) => !isGood(result));
  for (const { id, verdict, seed, share, failures } of bad) {
    const [first] = failures;
    terminal.print(`${id}: ${verdict}${first === undefined ? "" : `: ${first.test}: ${first.message}`}`);
    terminal.print(`  again: DRILL_SEED=${seed} DRILL_SHARE=${share} npm run lab -- drill ${id}`);
  }
  terminal.print(`${results.length - bad.length} passed, ${bad.length} failed`);
}

export const command = defineCommand({
  name: "lab drill",
  summary: "runs drills: failures and loads that the service must survive",
  args: { ids: { value: "ID", help: "drills to run; all when left out", count: "any" } },
  flags: {
    ci: {
      type: "boolean",
      help: "the short set, each drill with a part of its load; one that only missed a time or a memory bound runs again",
    },
    "self-test": { type: "boolean", help: "remove a safeguard in each drill; the run succeeds if every drill fails" },
    write: { type: "boolean", help: `put each good result into ${DRILLS_DOCUMENT}` },
  },
  examples: ["npm run lab -- drill A1 E1", "npm run lab -- drill --ci", "npm run lab -- drill I1 --write"],
  notes: [
    `Drills: ${IDS.join(", ")}.`,
    "`DRILL_SEED` and `DRILL_SHARE` (0 to 1) set the seed and the part of the load.",
  ],
  async run({ flags, args }, terminal) {
    const isSelfTest = flags["self-test"] === true;
    const isCi = flags.ci === true;
    const seed = Number(getEnvironment().DRILL_SEED ?? (isCi ? CI_SEED : Date.now() % 1_000_000));
    const results = chooseDrills(args.ids, isCi).map((drill) => {
      const share = getShare(drill, isCi);
      const run = (number: number): DrillResult => {
        const options = { share, seed: seed + number - 1, isSelfTest };
        const tries = isCi ? `, try ${number} of ${TRIES} at most` : "";
        terminal.print(`${drill.id}: ${drill.what}, seed ${options.seed}${tries}`);
        return runDrill(drill, options, terminal);
      };
      const result = isCi ? runTries(run) : run(1);
      storeResult(result, { isSelfTest, isWritten: flags.write === true });
      return result;
    });
    printSummary(results, terminal);
    const ok = results.every(isGood);
    terminal.printJson({ ok, drills: results });
    return ok ? EXIT.ok : EXIT.error;
  },
});
