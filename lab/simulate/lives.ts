/** The messages to and from a process that runs simulations. */
import { createHash } from "node:crypto";
import type { FaultPlan } from "./life/faults.ts";

/** How much of a digest is told: enough to see a difference. */
export const DIGEST_DIGITS = 16;

export interface LivesRequest {
  /** The seed of the first life; the next ones follow it. */
  readonly seed: number;
  readonly lives: number;
  /** True: from the last seed down to the first. */
  readonly isDescending: boolean;
  /** True: the first life that breaks an invariant is the last. */
  readonly stopsAtFailure: boolean;
}

export interface Failure {
  readonly seed: number;
  readonly violation: { readonly invariant: string; readonly message: string } | null;
  readonly plan: FaultPlan;
}

export interface LivesResult {
  readonly lives: number;
  readonly failures: readonly Failure[];
  readonly simulatedMs: number;
  readonly steps: number;
  /** User and system time of the processes, without their start. */
  readonly cpuMs: number;
  /** How often each kind of fault was drawn. */
  readonly faults: { readonly [kind: string]: number };
  /** The beginning of each life's digest, in the order of seeds. */
  readonly digests: readonly string[];
}

function addCounts(counts: readonly LivesResult["faults"][]): LivesResult["faults"] {
  const sums: Record<string, number> = {};
  for (const entry of counts) for (const [kind, count] of Object.entries(entry)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

/** The results of blocks of seeds, in their order, as one. */
export function addUp(results: readonly LivesResult[]): LivesResult {
  const sum = (name: "lives" | "simulatedMs" | "steps" | "cpuMs"): number =>
    results.reduce((total, result) => total + result[name], 0);
  return {
    lives: sum("lives"),
    failures: results.flatMap(({ failures }) => failures),
    simulatedMs: sum("simulatedMs"),
    steps: sum("steps"),
    cpuMs: sum("cpuMs"),
    faults: addCounts(results.map(({ faults }) => faults)),
    digests: results.flatMap(({ digests }) => digests),
  };
}

/** Lives that one core has time for in a minute. */
export const toLivesPerMinute = ({ lives, cpuMs }: Pick<LivesResult, "lives" | "cpuMs">): number =>
  cpuMs === 0 ? 0 : lives / (cpuMs / 60_000);

/** One digest for the traces of several lives. */
export const joinDigests = (digests: readonly string[]): string =>
  createHash("sha256").update(digests.join("\n")).digest("hex").slice(0, DIGEST_DIGITS);
