/** Simulates each mutant of the service until a run breaks an invariant. */
import { drawMutants, listSources, type Mutant } from "../../mutate-ts/mutants.ts";
import type { Verdict } from "../../mutate-ts/run-mutants.ts";
import { MutantProcess } from "./mutant-process.ts";
import type { Drawn, MutantRun, MutantRunResult } from "./worker.ts";

/** What the simulation is to guard. */
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

/** Kinds of runs in turn: payout stage, any stage, short, fleet, harsh. */
const FIRST_SEEDS = [200_000_004, 300_000_000, 20_000_000, 700_000_000, 2_000_000];
const STAGES = 5;
/** So many runs that reach a mutant are simulated with it; fewer if it changes no trace at all. */
export const REACHING_MAX = 24;
export const UNCHANGED_MAX = 8;

/** The seed of the n-th run of every mutant. */
const toSeed = (index: number): number => {
  const kind = index % FIRST_SEEDS.length;
  const turn = Math.floor(index / FIRST_SEEDS.length);
  return FIRST_SEEDS[kind]! + (kind === 0 ? STAGES * turn : turn);
};

export interface SimulatedVerdict extends Verdict {
  /** How many of the runs reach it, up to the one that killed it, and in how many of these the trace changed. */
  readonly reaching: number;
  readonly changed: number;
}

interface Options extends Pick<Drawn, "sample" | "seed"> {
  readonly runs: number;
  readonly untilMs: number;
  /** Keys of mutants that have a verdict. */
  readonly known: ReadonlySet<string>;
}

type Base = readonly MutantRunResult[];

async function simulateBase(runner: MutantProcess, runs: number): Promise<Base> {
  const base: MutantRunResult[] = [];
  for (let index = 0; index < runs; index++) {
    const result = await runner.run({ mutant: null, seed: toSeed(index) });
    if (result === null || result.broken !== null)
      throw new Error(`seed ${toSeed(index)} fails without a mutant: ${result?.broken}`);
    base.push(result);
  }
  return base;
}

/** The invariant that a run breaks with the mutant, null if it breaks none. */
async function findBroken(runner: MutantProcess, order: MutantRun, digest: string) {
  for (;;) {
    const isFresh = runner.isFresh;
    const result = await runner.run(order);
    if (result === null) return { broken: "the run does not end", isChanged: true };
    const { broken } = result;
    if (broken === null || isFresh) return { broken, isChanged: result.digest !== digest };
    // A mutant before it may have left something behind: without one, the run has to be as before.
    const again = await runner.run({ ...order, mutant: null });
    if (again?.digest === digest) return { broken, isChanged: true };
    runner.stop();
  }
}

/** Judges by the runs that reach the mutant. */
async function judge(runner: MutantProcess, { id }: Mutant, base: Base) {
  let [reaching, changed] = [0, 0];
  for (const [index, { digest, reached }] of base.entries()) {
    if (reaching === REACHING_MAX || (changed === 0 && reaching === UNCHANGED_MAX)) break;
    if (!reached.includes(id)) continue;
    const { broken, isChanged } = await findBroken(runner, { mutant: id, seed: toSeed(index) }, digest);
    reaching += 1;
    changed += isChanged ? 1 : 0;
    if (broken !== null) return { isKilled: true, by: `run ${index + 1}: ${broken}`, reaching, changed };
  }
  const by = reaching === 0 ? "no run reaches it" : `${reaching} runs reach it, ${changed} traces change`;
  return { isKilled: false, by, reaching, changed };
}

export async function simulateMutants(
  { sample, seed, runs, untilMs, known }: Options,
  note: (text: string) => void,
  report: (verdict: SimulatedVerdict) => void,
): Promise<void> {
  const paths = Object.values(TARGETS).flat();
  const drawn = drawMutants(listSources(paths), sample, seed);
  const runner = new MutantProcess({ paths, sample, seed });
  try {
    const base = await simulateBase(runner, runs);
    note(
      `${runs} runs without a mutant: ${new Set(base.flatMap(({ reached }) => reached)).size} of ${drawn.length} are reached`,
    );
    for (const mutant of drawn) {
      if (Date.now() >= untilMs) return;
      const { key, file, line, scope, before, after } = mutant;
      if (known.has(key)) continue;
      report({ key, file, line, scope, before, after, ...(await judge(runner, mutant, base)) });
    }
  } finally {
    runner.stop();
  }
}
