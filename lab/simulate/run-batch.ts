/** Simulates many runs one after the other, in this process. */

import { type BatchRequest, type BatchResult, DIGEST_DIGITS, type Failure } from "./batch.ts";
import { addCoverage, type Coverage } from "./run/coverage.ts";
import type { RunResult } from "./run/run.ts";
import { Simulator } from "./run/simulator.ts";
import { CANDIDATES, Steering } from "./steering.ts";

const toFailure = ({ seed, violation, plan }: RunResult): Failure => ({ seed, violation, plan });

let created: Promise<Simulator> | null = null;
/** Of all steered runs of this process. */
const steering = new Steering();

/** The seed of a batch's n-th run. */
function toSeed({ seed, runs, isDescending, isSteered }: BatchRequest, count: number): number {
  if (isSteered)
    return steering.choose(Array.from({ length: CANDIDATES }, (_, index) => seed + count * CANDIDATES + index));
  return isDescending ? seed + runs - 1 - count : seed + count;
}

export async function runBatch(request: BatchRequest): Promise<BatchResult> {
  const { runs, isDescending, stopsAtFailure, isSteered } = request;
  created ??= Simulator.create();
  const simulator = await created;
  const failures: Failure[] = [];
  const digests: string[] = [];
  const coverage: Coverage[] = [];
  const faults: Record<string, number> = {};
  let [simulatedMs, steps] = [0, 0];
  const before = process.cpuUsage();
  const { stackTraceLimit } = Error;
  // Most runs contain rejected calls, and a stack trace takes longer than the call.
  Error.stackTraceLimit = 0;
  for (let count = 0; count < runs && !(stopsAtFailure && failures.length > 0); count++) {
    const run = await simulator.run({ seed: toSeed(request, count) });
    if (isSteered) steering.note(run.seed, run.coverage);
    coverage.push(run.coverage);
    simulatedMs += run.simulatedMs;
    steps += run.steps;
    digests.push(run.digest.slice(0, DIGEST_DIGITS));
    for (const { kind } of run.plan) faults[kind] = (faults[kind] ?? 0) + 1;
    if (run.violation !== null) failures.push(toFailure(run));
  }
  Error.stackTraceLimit = stackTraceLimit;
  const { user, system } = process.cpuUsage(before);
  if (isDescending) digests.reverse();
  const cpuMs = (user + system) / 1000;
  const covered = addCoverage(coverage);
  return { runs: digests.length, failures, simulatedMs, steps, cpuMs, faults, coverage: covered, digests };
}
