/** Runs one drill in a process of its own and collects its figures and failures. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { getEnvironment } from "../../backend/config/environment.ts";
import type { Terminal } from "../../scripts/cli/terminal.ts";
import { root } from "../../scripts/start/build.ts";
import type { Drill } from "./drill.ts";
import { PLANTED_LINES } from "./planted.ts";

export interface DrillOptions {
  /** The part of the full load, from 0 to 1. */
  readonly share: number;
  readonly seed: number;
  readonly isSelfTest: boolean;
}

export interface DrillResult {
  readonly id: string;
  readonly seed: number;
  readonly share: number;
  readonly seconds: number;
  readonly passed: number;
  readonly figures: readonly string[];
  /** `isFigure`: a figure missed its bound, which other load of the machine can cause too. */
  readonly failures: readonly { readonly test: string; readonly message: string; readonly isFigure?: true }[];
  /** `ok` and `FAIL` of a run; of a self-test, whose safeguard is removed, `fault found` is the good one. */
  readonly verdict: "ok" | "FAIL" | "fault found" | "fault MISSED";
}

/** How mocha's titles of failed hooks begin; the title of a test may follow. */
const HOOK = /^"(?:before|after) (?:all|each)" hook/;

interface ReportLine {
  readonly figures?: string;
  readonly passed?: 1;
  readonly failed?: string;
  readonly message?: string;
  readonly isFigure?: true;
}

export const isGood = ({ verdict }: DrillResult): boolean => verdict === "ok" || verdict === "fault found";

function readReport(path: string): readonly ReportLine[] {
  try {
    const lines = readFileSync(path, "utf8").trim().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as ReportLine);
  } catch {
    return [];
  }
}

/** For a self-test whose fault is a changed line: child processes get it as well. */
export function createPlantEnvironment(id: string): { readonly [name: string]: string } {
  if (PLANTED_LINES[id] === undefined) return {};
  const preload = pathToFileURL(join(root, "lab/drill/plant.ts")).href;
  const { NODE_OPTIONS = "" } = getEnvironment();
  return { DRILL_PLANT: id, NODE_OPTIONS: `${NODE_OPTIONS} --import=${preload}`.trim() };
}

function spawnDrill({ id, files }: Drill, { share, seed, isSelfTest }: DrillOptions, report: string, json: boolean) {
  const foundBy = isSelfTest ? PLANTED_LINES[id]?.foundBy : undefined;
  return spawnSync(
    process.execPath,
    [
      join(root, "node_modules/mocha/bin/mocha.js"),
      ...["--timeout", "60000", "--reporter", join(root, "lab/drill/reporter.ts")],
      // A test that failed may leave requests open.
      ...(foundBy === undefined ? [] : ["--fgrep", foundBy, "--exit"]),
      ...files.map((file) => join(root, file)),
    ],
    {
      cwd: root,
      stdio: ["inherit", json ? 2 : "inherit", "inherit"],
      env: {
        ...getEnvironment(),
        DRILL_REPORT: report,
        DRILL_SEED: String(seed),
        DRILL_SHARE: String(share),
        ...(isSelfTest ? { DRILL_SELF_TEST: "1", ...createPlantEnvironment(id) } : {}),
      },
    },
  ).status;
}

/**
 * Whether a self-test has found its fault. Only a test that failed has: a process that dies, or that runs nothing, has
 * not, nor has a failed hook where the fault is a changed line.
 */
export function isFaultFound(id: string, failures: DrillResult["failures"]): boolean {
  const foundBy = PLANTED_LINES[id]?.foundBy;
  return failures.some(({ test }) => foundBy === undefined || (test.includes(foundBy) && !HOOK.test(test)));
}

export function runDrill(drill: Drill, options: DrillOptions, { json }: Pick<Terminal, "json">): DrillResult {
  const startedMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "arcade-drill-"));
  const path = join(folder, "report.jsonl");
  const status = spawnDrill(drill, options, path, json);
  const lines = readReport(path);
  rmSync(folder, { recursive: true });
  const failures: DrillResult["failures"][number][] = lines.flatMap(({ failed, message = "", isFigure }) =>
    failed === undefined ? [] : [{ test: failed, message: message.split("\n")[0]!, ...(isFigure && { isFigure }) }],
  );
  const passed = lines.filter((line) => line.passed !== undefined).length;
  const isFound = isFaultFound(drill.id, failures);
  const isRed = status !== 0 || passed + failures.length === 0;
  if (isRed && failures.length === 0) failures.push({ test: "the process", message: `ended with ${status}` });
  return {
    id: drill.id,
    seed: options.seed,
    share: options.share,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    passed,
    figures: lines.flatMap(({ figures }) => figures ?? []),
    failures,
    verdict: options.isSelfTest ? (isFound ? "fault found" : "fault MISSED") : isRed ? "FAIL" : "ok",
  };
}
