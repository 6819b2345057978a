/** The fewest faults with which a life still breaks the same invariant. */
import type { FaultPlan } from "./life/faults.ts";
import { type LifeResult, runLife } from "./life/life.ts";
import type { Scenery } from "./life/scenery.ts";

export async function shrink(
  scenery: Scenery,
  failed: Pick<LifeResult, "seed" | "plan" | "violation">,
): Promise<LifeResult> {
  const { seed, violation } = failed;
  const fails = async (plan: FaultPlan): Promise<boolean> =>
    (await runLife({ scenery, seed, plan })).violation?.invariant === violation!.invariant;
  let plan = failed.plan;
  for (let index = 0; index < plan.length; ) {
    const shorter = plan.toSpliced(index, 1);
    if (await fails(shorter)) plan = shorter;
    else index += 1;
  }
  return await runLife({ scenery, seed, plan, isTraceKept: true });
}
