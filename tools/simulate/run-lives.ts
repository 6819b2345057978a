/** Many lives one after the other, in this process. */

import { type LifeResult, runLife } from "./life/life.ts";
import { createScenery } from "./life/scenery.ts";

export type Failure = Pick<LifeResult, "seed" | "violation" | "plan">;

export interface LivesResult {
  readonly lives: number;
  readonly failures: readonly Failure[];
  readonly simulatedMs: number;
  readonly steps: number;
}

export interface LivesOptions {
  readonly seed: number;
  readonly lives: number;
  /** True: the first life that breaks an invariant is the last. */
  readonly stopsAtFailure: boolean;
}

export async function runLives({ seed, lives, stopsAtFailure }: LivesOptions): Promise<LivesResult> {
  const scenery = await createScenery();
  const failures: Failure[] = [];
  let [simulatedMs, steps, count] = [0, 0, 0];
  for (; count < lives && !(stopsAtFailure && failures.length > 0); count++) {
    const result = await runLife({ scenery, seed: seed + count });
    simulatedMs += result.simulatedMs;
    steps += result.steps;
    if (result.violation !== null) failures.push({ seed: result.seed, violation: result.violation, plan: result.plan });
  }
  return { lives: count, failures, simulatedMs, steps };
}
