/** Results of simulated lives, as they are stored. */
import type { Machine } from "../bench/compare/machine.ts";
import type { LifeKind } from "./life/kinds.ts";
import type { LivesResult } from "./lives.ts";

export interface Measured {
  /** The command line that makes the run again. */
  readonly command: string;
  readonly measuredAt: string;
  readonly machine: Machine;
}

export interface LivesRun extends Pick<LivesResult, "lives" | "cpuMs" | "simulatedMs" | "faults"> {
  readonly seed: number;
  readonly seconds: number;
  readonly processes: number;
}

export interface StoredLives extends Measured, LivesRun {
  readonly kind: LifeKind["name"];
  /** The digest of all traces. */
  readonly traces: string;
}

/** Searches for an injected fault: the seed of the first life, and how many lives there were up to the one that found it. */
export interface InjectedRow {
  readonly name: string;
  readonly searches: readonly { readonly seed: number; readonly lives: number; readonly isFound: boolean }[];
}

export type InjectedRun = Measured & { readonly rows: readonly InjectedRow[] };
