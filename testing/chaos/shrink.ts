import type { Fault } from "./faults.ts";

/** Removes every fault that `fails` does not need to stay true. */
export async function shrinkFaults(
  faults: readonly Fault[],
  fails: (faults: readonly Fault[]) => Promise<boolean>,
): Promise<readonly Fault[]> {
  let best = faults;
  for (let index = 0; index < best.length; ) {
    const fewer = best.toSpliced(index, 1);
    if (await fails(fewer)) best = fewer;
    else index += 1;
  }
  return best;
}
