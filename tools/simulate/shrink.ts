/** The fewest faults with which a life still breaks the same invariant. */
import type { FaultPlan } from "./life/faults.ts";
import type { LifeResult } from "./life/life.ts";
import type { Simulator } from "./life/simulator.ts";

export async function shrink(
  simulator: Simulator,
  failed: Pick<LifeResult, "seed" | "plan" | "violation">,
): Promise<LifeResult> {
  const { seed, violation } = failed;
  const fails = async (plan: FaultPlan): Promise<boolean> =>
    (await simulator.run({ seed, plan })).violation?.invariant === violation!.invariant;
  let plan = failed.plan;
  for (let index = 0; index < plan.length; ) {
    const shorter = plan.toSpliced(index, 1);
    if (await fails(shorter)) plan = shorter;
    else index += 1;
  }
  return await simulator.run({ seed, plan, isTraceKept: true });
}
