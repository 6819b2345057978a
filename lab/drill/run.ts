/** Runs one drill in a separate process and collects its figures and failures. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getEnvironment } from "../../backend/config/environment.ts";
import type { Terminal } from "../../scripts/cli/terminal.ts";
import { root } from "../../scripts/start/build.ts";
import { createFaultEnvironment } from "../injected/inject.ts";
import type { Drill } from "./drill.ts";
import { DRILL_FAULTS } from "./injected.ts";

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
  /** `isFigure`: a figure missed its bound, which other load on the machine can also cause. */
  readonly failures: readonly { readonly test: string; readonly message: string; readonly isFigure?: true }[];
  /** `ok` or `FAIL` for a run. For a self-test, which removes a safeguard, `fault found` is success. */
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

function createSelfTestEnvironment(id: string): { readonly [name: string]: string } {
  const injected = DRILL_FAULTS[id];
  const faults = injected === undefined ? {} : createFaultEnvironment([injected.fault]);
  return { DRILL_SELF_TEST: "1", ...faults };
}

function spawnDrill({ id, files }: Drill, { share, seed, isSelfTest }: DrillOptions, report: string, json: boolean) {
  const foundBy = isSelfTest ? DRILL_FAULTS[id]?.foundBy : undefined;
  return spawnSync(
    process.execPath,
    [
      join(root, "node_modules/mocha/bin/mocha.js"),
      ...["--timeout", "60000", "--reporter", join(root, "lab/drill/reporter.ts")],
      // A failed test may leave requests open.
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
        ...(isSelfTest ? createSelfTestEnvironment(id) : {}),
      },
    },
  ).status;
}

/**
 * Whether a self-test has found its fault. Only a failed test counts: not a process that dies or runs nothing, and not
 * a failed hook if the fault is one of `DRILL_FAULTS`.
 */
export function isFaultFound(id: string, failures: DrillResult["failures"]): boolean {
  const foundBy = DRILL_FAULTS[id]?.foundBy;
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
