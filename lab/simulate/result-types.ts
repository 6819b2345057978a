/** Results of simulated runs, as they are stored. */
import type { Machine } from "../bench/compare/machine.ts";
import type { BatchResult } from "./batch.ts";
import type { RunKind } from "./run/kinds.ts";

export interface Measured {
  /** The command line that repeats the run. */
  readonly command: string;
  readonly measuredAt: string;
  readonly machine: Machine;
}

export interface MeasuredBatch extends Pick<BatchResult, "runs" | "cpuMs" | "simulatedMs" | "faults" | "coverage"> {
  readonly seed: number;
  readonly seconds: number;
  readonly processes: number;
}

export interface StoredBatch extends Measured, MeasuredBatch {
  readonly kind: RunKind["name"];
  /** The digest of all traces. */
  readonly traces: string;
}

/** Searches for an injected fault: the first run's seed, and the number of runs up to the one that found it. */
export interface InjectedRow {
  readonly name: string;
  readonly searches: readonly { readonly seed: number; readonly runs: number; readonly isFound: boolean }[];
}

export type InjectedRun = Measured & { readonly rows: readonly InjectedRow[] };
