/** Finds the simplest run that still breaks the same invariant. */

import { type Behavior, createBehaviorRandom, createTurnsRandom, drawBehavior } from "./run/behavior.ts";
import type { Fault, FaultPlan } from "./run/faults.ts";
import type { RunResult } from "./run/run.ts";
import type { Simulator } from "./run/simulator.ts";

/** The seed decides everything that is absent here. */
interface Conditions {
  readonly plan: FaultPlan;
  readonly behavior: Behavior;
  readonly backends?: number;
}

export interface Shrunk extends Conditions {
  readonly result: RunResult;
}

/** The plan with half of one number of a fault; null if no half is left. */
function halve(plan: FaultPlan, index: number, field: string): FaultPlan | null {
  const fault = plan[index] as Fault & { readonly [name: string]: unknown };
  const value = fault[field];
  if (!Number.isInteger(value) || Math.abs(value as number) <= 1) return null;
  return plan.with(index, { ...fault, [field]: Math.trunc((value as number) / 2) });
}

class Shrinking {
  best: Conditions;
  readonly #fails: (conditions: Conditions) => Promise<boolean>;

  constructor(start: Conditions, fails: (conditions: Conditions) => Promise<boolean>) {
    this.best = start;
    this.#fails = fails;
  }

  async #accept(change: Partial<Conditions>): Promise<boolean> {
    const conditions = { ...this.best, ...change };
    if (!(await this.#fails(conditions))) return false;
    this.best = conditions;
    return true;
  }

  /** Leaves out faults, behavior of the agents, and all backends but one. */
  async leaveOut(): Promise<void> {
    for (let index = 0; index < this.best.plan.length; )
      if (!(await this.#accept({ plan: this.best.plan.toSpliced(index, 1) }))) index += 1;
    for (const behavior of Object.keys(this.best.behavior) as (keyof Behavior)[])
      if (this.best.behavior[behavior]) await this.#accept({ behavior: { ...this.best.behavior, [behavior]: false } });
    await this.#accept({ backends: 1 });
  }

  /** Makes times, depths and counts of the faults smaller. */
  async makeSmaller(): Promise<void> {
    for (const [index, fault] of this.best.plan.entries())
      for (const field of Object.keys(fault)) {
        let smaller = halve(this.best.plan, index, field);
        while (smaller !== null && (await this.#accept({ plan: smaller })))
          smaller = halve(this.best.plan, index, field);
      }
  }
}

export async function shrink(
  simulator: Simulator,
  { seed, plan, violation }: Pick<RunResult, "seed" | "plan" | "violation">,
): Promise<Shrunk> {
  const behavior = drawBehavior(createBehaviorRandom(seed), createTurnsRandom(seed));
  const fails = async (conditions: Conditions): Promise<boolean> =>
    (await simulator.run({ seed, ...conditions })).violation?.invariant === violation!.invariant;
  const shrinking = new Shrinking({ plan, behavior }, fails);
  await shrinking.leaveOut();
  await shrinking.makeSmaller();
  const result = await simulator.run({ seed, ...shrinking.best, isTraceKept: true });
  return { ...shrinking.best, result };
}
