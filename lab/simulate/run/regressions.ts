/** The stored runs that once broke an invariant. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "../../../scripts/start/build.ts";
import { type Behavior, PLAIN_BEHAVIOR } from "./behavior.ts";
import type { FaultPlan } from "./faults.ts";

export interface Regression {
  readonly name: string;
  /** The invariant that the run once broke. */
  readonly invariant: string;
  readonly seed: number;
  readonly plan: FaultPlan;
  readonly behavior: Behavior;
  readonly backends?: number;
}

export const readRegressions = (): readonly Regression[] =>
  globSync("test/lab/simulate/regressions/*.json", { cwd: root })
    .sort()
    .map((path) => ({
      // Without optional behavior if the run is older than that.
      behavior: PLAIN_BEHAVIOR,
      ...JSON.parse(readFileSync(join(root, path), "utf8")),
      name: basename(path, ".json"),
    }));
