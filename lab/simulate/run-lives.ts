/** Many lives one after the other, in this process. */
import type { LifeResult } from "./life/life.ts";
import { Simulator } from "./life/simulator.ts";
import { DIGEST_DIGITS, type Failure, type LivesRequest, type LivesResult } from "./lives.ts";

const toFailure = ({ seed, violation, plan }: LifeResult): Failure => ({ seed, violation, plan });

let created: Promise<Simulator> | null = null;

export async function runLives({ seed, lives, isDescending, stopsAtFailure }: LivesRequest): Promise<LivesResult> {
  created ??= Simulator.create();
  const simulator = await created;
  const failures: Failure[] = [];
  const digests: string[] = [];
  const faults: Record<string, number> = {};
  let [simulatedMs, steps] = [0, 0];
  const before = process.cpuUsage();
  const { stackTraceLimit } = Error;
  // Refused calls are a part of most lives, and a stack takes longer than what was refused.
  Error.stackTraceLimit = 0;
  for (let count = 0; count < lives && !(stopsAtFailure && failures.length > 0); count++) {
    const life = await simulator.run({ seed: isDescending ? seed + lives - 1 - count : seed + count });
    simulatedMs += life.simulatedMs;
    steps += life.steps;
    digests.push(life.digest.slice(0, DIGEST_DIGITS));
    for (const { kind } of life.plan) faults[kind] = (faults[kind] ?? 0) + 1;
    if (life.violation !== null) failures.push(toFailure(life));
  }
  Error.stackTraceLimit = stackTraceLimit;
  const { user, system } = process.cpuUsage(before);
  if (isDescending) digests.reverse();
  return { lives: digests.length, failures, simulatedMs, steps, cpuMs: (user + system) / 1000, faults, digests };
}
