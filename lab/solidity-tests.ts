/** `npm run lab -- solidity-tests`: the tests in Solidity, fuzz and invariants, and how much the runs of the invariants did. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { getEnvironment } from "../backend/config/environment.ts";
import { defineCommand, parseCount } from "../scripts/cli/command.ts";
import { CommandError, EXIT } from "../scripts/cli/failures.ts";
import { root } from "../scripts/start/build.ts";

/** Named in test/solidity/helpers/Invariant.sol, which writes it. */
const REPORT = join(root, "cache/invariant-runs.txt");
const DEFAULT_RUNS = 16;
const MAX_RUNS = 10_000;
/** A run in which an action never happened proves nothing of it. */
const MIN_SHARE = 0.9;

interface ActionCounts {
  readonly action: string;
  readonly runs: number;
  /** Runs in which the action happened. */
  readonly active: number;
  /** Times per run. */
  readonly mean: number;
}

/** Sums the report's lines, `ACTION COUNT` for each run. */
function parseRuns(report: string): readonly ActionCounts[] {
  const lines = report
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" "));
  return [...Map.groupBy(lines, ([action]) => action!)].map(([action, rows]) => {
    const counts = rows.map(([, count]) => Number(count));
    const sum = counts.reduce((total, count) => total + count, 0);
    return { action, runs: rows.length, active: counts.filter((count) => count > 0).length, mean: sum / rows.length };
  });
}

export const command = defineCommand({
  name: "lab solidity-tests",
  summary: "runs the contracts' fuzz and invariant tests, and counts what the invariants' runs did",
  flags: {
    runs: { type: "string", value: "N", help: `runs of each invariant, 400 calls each (default: ${DEFAULT_RUNS})` },
  },
  examples: ["npm run lab -- solidity-tests", "npm run lab -- solidity-tests --runs 64"],
  async run({ flags }, terminal) {
    const runs = parseCount("runs", flags.runs, DEFAULT_RUNS, MAX_RUNS);
    mkdirSync(join(root, "cache"), { recursive: true });
    rmSync(REPORT, { force: true });
    const { status } = spawnSync(process.execPath, ["node_modules/hardhat/dist/src/cli.js", "test", "solidity"], {
      cwd: root,
      stdio: ["inherit", terminal.json ? 2 : "inherit", "inherit"],
      env: { ...getEnvironment(), ARCADE_INVARIANT_RUNS: String(runs) },
    });
    if (status !== 0) throw new CommandError("A test in Solidity failed.");
    const actions = parseRuns(readFileSync(REPORT, "utf8"));
    for (const { action, runs, active, mean } of actions)
      terminal.print(`${action}: in ${active} of ${runs} runs, ${mean.toFixed(1)} a run`);
    const rare = actions.filter(({ runs, active }) => active < MIN_SHARE * runs);
    terminal.printJson({ ok: rare.length === 0, actions });
    if (rare.length === 0) return EXIT.ok;
    throw new CommandError(
      `Less than ${100 * MIN_SHARE} % of the runs had ${rare.map(({ action }) => action).join(", ")}.`,
    );
  },
});
