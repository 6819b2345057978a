/** Simulates each mutant of the service until a run breaks an invariant. */
import { fork } from "node:child_process";
import { root } from "../../../scripts/start/build.ts";
import { drawMutants, listSources, type Mutant } from "../../mutate-ts/mutants.ts";
import type { Verdict } from "../../mutate-ts/run-mutants.ts";
import { createWarmProcess, findInSoundProcess, type WarmProcess } from "../../mutate-ts/warm-process.ts";
import { readRegressions } from "../run/regressions.ts";
import type { RunOptions } from "../run/run.ts";
import type { Drawn, MutantRun, MutantRunResult } from "./worker.ts";

/** The code whose mutants the simulation should kill. */
export const TARGETS: { readonly [name: string]: readonly string[] } = {
  "transaction manager": ["backend/adapters/chain/transaction-manager", "backend/adapters/store/chain/transactions.ts"],
  indexer: ["backend/adapters/chain/indexer", "backend/adapters/store/chain/events.ts"],
  payouts: [
    "backend/services/rewards/payouts.ts",
    "backend/services/rewards/payout-settlement.ts",
    "backend/adapters/store/chain/payouts.ts",
  ],
  leases: [
    "backend/adapters/store/lease/lease.ts",
    "backend/adapters/store/lease/rows.ts",
    "backend/adapters/store/nodes",
    "backend/adapters/store/sessions/ownership.ts",
    "backend/live/takeover.ts",
  ],
  idempotency: ["backend/http/pipeline/idempotency.ts", "backend/adapters/store/idempotency.ts"],
};

/** Kinds of runs in turn: payout stage, chain, any stage, short, fleet, harsh. */
const FIRST_SEEDS = [200_000_004, 800_000_000, 300_000_000, 20_000_000, 700_000_000, 2_000_000];
const STAGES = 5;
/** At most this many runs per mutant. */
export const REACHING_MAX = 120;

/** The seed of the n-th drawn run. */
const toSeed = (index: number): number => {
  const kind = index % FIRST_SEEDS.length;
  const turn = Math.floor(index / FIRST_SEEDS.length);
  return FIRST_SEEDS[kind]! + (kind === 0 ? STAGES * turn : turn);
};

/** The runs that each mutant may have: the stored regressions, then drawn ones. */
function listRuns(count: number): readonly RunOptions[] {
  const stored: readonly RunOptions[] = readRegressions();
  return [...stored, ...Array.from({ length: count }, (_, index) => ({ seed: toSeed(index) }))].slice(0, count);
}

export interface SimulatedVerdict extends Verdict {
  /** How many runs reached it, up to the one that killed it, and in how many of these the trace changed. */
  readonly reaching: number;
  readonly changed: number;
}

interface Options extends Pick<Drawn, "sample" | "seed"> {
  readonly runs: number;
  readonly processes: number;
  readonly untilMs: number;
}

type Base = readonly MutantRunResult[];
type Runner = WarmProcess<MutantRun, MutantRunResult>;

const RUNS_PER_PROCESS = 1_000;
const BASE_LIMIT_MS = 300_000;
/** The time limit, which ends a mutant that loops. */
const getLimitMs = ({ ms }: MutantRunResult): number => 20_000 + 20 * ms;

const start = (drawn: Drawn) =>
  fork(new URL("worker.ts", import.meta.url), [JSON.stringify(drawn)], {
    cwd: root,
    detached: true,
    execArgv: ["--single-threaded", "--max-semi-space-size=128"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });

async function simulateWithout(runner: Runner, run: RunOptions): Promise<MutantRunResult> {
  const result = await runner.run({ mutant: null, run }, BASE_LIMIT_MS);
  const received = result === null ? "it did not end" : result.broken;
  if (received !== null)
    throw new Error(`seed ${run.seed}: expected a run without a mutant that keeps every invariant; ${received}`);
  return result!;
}

/** How a run with the mutant differs from the one without; null if it does not. */
function findChange(runner: Runner, order: MutantRun, base: MutantRunResult) {
  const look = async () => {
    const result = await runner.run(order, getLimitMs(base));
    if (result === null) return { broken: "the run does not end" };
    return result.broken === null && result.digest === base.digest ? null : { broken: result.broken };
  };
  return findInSoundProcess(runner, look, async () => {
    const again = await runner.run({ ...order, mutant: null }, getLimitMs(base));
    return again?.digest === base.digest;
  });
}

/** Judges by the runs that reach the mutant. */
async function judge(runner: Runner, { id }: Mutant, runs: readonly RunOptions[], base: Base) {
  let [reaching, changed] = [0, 0];
  for (const [index, result] of base.entries()) {
    if (reaching === REACHING_MAX) break;
    if (!result.reached.includes(id)) continue;
    const change = await findChange(runner, { mutant: id, run: runs[index]! }, result);
    reaching += 1;
    changed += change === null ? 0 : 1;
    if (change !== null && change.broken !== null)
      return { isKilled: true, by: `run ${index + 1}: ${change.broken}`, reaching, changed };
  }
  const by = reaching === 0 ? "no run reaches it" : `reached by ${reaching}, trace changed in ${changed}`;
  return { isKilled: false, by, reaching, changed };
}

export async function simulateMutants(
  { sample, seed, runs: count, processes, untilMs }: Options,
  note: (text: string) => void,
  report: (verdict: SimulatedVerdict) => void,
): Promise<void> {
  const paths = Object.values(TARGETS).flat();
  const drawn = drawMutants(listSources(paths), sample, seed);
  const runs = listRuns(count);
  const runners = Array.from(
    { length: processes },
    (): Runner => createWarmProcess({ start: () => start({ paths, sample, seed }), runsMax: RUNS_PER_PROCESS }),
  );
  /** Every process takes the next item that none has taken. */
  const share = async <T>(items: readonly T[], use: (runner: Runner, item: T) => Promise<void>): Promise<void> => {
    const left = [...items];
    await Promise.all(
      runners.map(async (runner) => {
        while (left.length > 0) await use(runner, left.shift()!);
      }),
    );
  };
  try {
    const base: MutantRunResult[] = [];
    await share([...runs.entries()], async (runner, [index, run]) => {
      base[index] = await simulateWithout(runner, run);
    });
    const reached = new Set(base.flatMap((result) => result.reached));
    note(`${runs.length} runs without a mutant: ${reached.size} of ${drawn.length} are reached`);
    await share(drawn, async (runner, mutant) => {
      if (Date.now() >= untilMs) return;
      const { key, file, line, scope, before, after } = mutant;
      report({ key, file, line, scope, before, after, ...(await judge(runner, mutant, runs, base)) });
    });
  } finally {
    for (const runner of runners) runner.stop();
  }
}
