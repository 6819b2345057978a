/** The messages to and from a process that runs simulations. */
import { createHash } from "node:crypto";
import { addCoverage, type Coverage } from "./run/coverage.ts";
import type { FaultPlan } from "./run/faults.ts";

/** How much of a digest to print: enough to see a difference. */
export const DIGEST_DIGITS = 16;

export interface BatchRequest {
  /** The seed of the first run; the next ones follow it. */
  readonly seed: number;
  readonly runs: number;
  /** Whether seeds run from the last down to the first. */
  readonly isDescending: boolean;
  /** Whether to stop after the first run that breaks an invariant. */
  readonly stopsAtFailure: boolean;
  /** Whether the runs so far decide which seeds run: each is one of `CANDIDATES` next ones. */
  readonly isSteered: boolean;
}

export interface Failure {
  readonly seed: number;
  readonly violation: { readonly invariant: string; readonly message: string } | null;
  readonly plan: FaultPlan;
}

export interface BatchResult {
  readonly runs: number;
  readonly failures: readonly Failure[];
  readonly simulatedMs: number;
  readonly steps: number;
  /** User and system time of the processes, without their start. */
  readonly cpuMs: number;
  /** How often each kind of fault was drawn. */
  readonly faults: { readonly [kind: string]: number };
  readonly coverage: Coverage;
  /** The first digits of each run's digest, in the order of seeds. */
  readonly digests: readonly string[];
}

function addCounts(counts: readonly BatchResult["faults"][]): BatchResult["faults"] {
  const sums: Record<string, number> = {};
  for (const entry of counts) for (const [kind, count] of Object.entries(entry)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

/** Combines the results of consecutive blocks of seeds. */
export function addUp(results: readonly BatchResult[]): BatchResult {
  const sum = (name: "runs" | "simulatedMs" | "steps" | "cpuMs"): number =>
    results.reduce((total, result) => total + result[name], 0);
  return {
    runs: sum("runs"),
    failures: results.flatMap(({ failures }) => failures),
    simulatedMs: sum("simulatedMs"),
    steps: sum("steps"),
    cpuMs: sum("cpuMs"),
    faults: addCounts(results.map(({ faults }) => faults)),
    coverage: addCoverage(results.map(({ coverage }) => coverage)),
    digests: results.flatMap(({ digests }) => digests),
  };
}

/** The runs that one core can do in a minute. */
export const toRunsPerMinute = ({ runs, cpuMs }: Pick<BatchResult, "runs" | "cpuMs">): number =>
  cpuMs === 0 ? 0 : runs / (cpuMs / 60_000);

/** One digest for the traces of several runs. */
export const joinDigests = (digests: readonly string[]): string =>
  createHash("sha256").update(digests.join("\n")).digest("hex").slice(0, DIGEST_DIGITS);
