import { expect } from "chai";
import { checkCombination } from "../../../lab/simulate/combination.ts";
import type { Fault, FaultPlan } from "../../../lab/simulate/run/faults.ts";
import type { RunOptions, RunResult } from "../../../lab/simulate/run/run.ts";
import type { Simulator } from "../../../lab/simulate/run/simulator.ts";
import { shrink } from "../../../lab/simulate/shrink.ts";
import { UsageError } from "../../../scripts/cli/failures.ts";

const SEED = 10_000_000;
/** In the run this many seeds after the first, agents have every behavior. */
const ALL_HABITS = 45;
const [CRASH, REORG, DROPPED, PAUSED]: readonly Fault[] = [
  { kind: "crash", atMs: 1, downMs: 1 },
  { kind: "reorg", atMs: 2, depth: 1, forgotten: 0 },
  { kind: "mempool dropped", atMs: 3 },
  { kind: "backend paused", atMs: 4, forMs: 1 },
];

/** A simulator in which `judge` decides by a run's plan what it breaks. */
function createSimulator(judge: (plan: FaultPlan, options: RunOptions) => string | null): Simulator {
  const run = async (options: RunOptions): Promise<RunResult> => {
    const { seed, plan = [], isTraceKept = false } = options;
    const invariant = judge(plan, options);
    const violation = invariant === null ? null : { invariant, message: `${invariant}: told` };
    const trace = isTraceKept ? [{ text: "what happened", agent: null }] : [];
    return { seed, plan, violation, trace, coverage: {}, digest: "", simulatedMs: 0, steps: 0 };
  };
  return { run } as unknown as Simulator;
}

describe("the report of a broken invariant", () => {
  const failed = {
    seed: SEED,
    plan: [CRASH!, REORG!, DROPPED!, PAUSED!],
    violation: { invariant: "every wait ends", message: "" },
  };

  it("has the faults that are needed together, and their run's trace", async () => {
    const needsBoth = (plan: FaultPlan): string | null =>
      plan.includes(REORG!) && plan.includes(PAUSED!) ? "every wait ends" : null;
    const { plan, result } = await shrink(createSimulator(needsBoth), failed);
    expect(plan).to.deep.equal([REORG, PAUSED]);
    expect(result.trace.map(({ text }) => text)).to.deep.equal(["what happened"]);
  });

  it("has smaller times, depths and counts if they also break the invariant", async () => {
    const plan: FaultPlan = [
      { kind: "reorg", atMs: 9_000, depth: 10, forgotten: 0.3 },
      { kind: "clock step", atMs: 2_001, byMs: -600_000 },
    ];
    const judge = ([reorg, step]: FaultPlan): string | null => {
      if (reorg?.kind !== "reorg" || step?.kind !== "clock step") return null;
      return reorg.depth > 2 && reorg.atMs > 3_000 && step.byMs < -5_000 ? "every wait ends" : null;
    };
    const shrunk = await shrink(createSimulator(judge), { ...failed, plan });
    expect(shrunk.plan).to.deep.equal([
      { kind: "reorg", atMs: 4_500, depth: 5, forgotten: 0.3 },
      { kind: "clock step", atMs: 1, byMs: -9_375 },
    ]);
  });

  it("has the needed behavior, and one backend if that is enough", async () => {
    const seed = SEED + ALL_HABITS;
    const needsKeys = (_: FaultPlan, { behavior }: RunOptions): string | null =>
      behavior?.useKeys ? "every wait ends" : null;
    const shrunk = await shrink(createSimulator(needsKeys), { ...failed, seed, plan: [] });
    expect(shrunk.behavior).to.deep.equal({ areSponsored: false, useKeys: true, callOutOfTurn: false });
    expect(shrunk.backends).to.equal(1);
    const needsTwo = (_: FaultPlan, { backends }: RunOptions): string | null =>
      backends === 1 ? null : "every wait ends";
    expect(await shrink(createSimulator(needsTwo), failed)).to.not.have.property("backends");
  });

  it("keeps a fault if another invariant would be broken without it", async () => {
    const breaksOther = (plan: FaultPlan): string => (plan.includes(CRASH!) ? "every wait ends" : "tokens work once");
    const { plan, result } = await shrink(createSimulator(breaksOther), failed);
    expect(plan).to.deep.equal([CRASH]);
    expect(result.violation?.invariant).to.equal("every wait ends");
  });
});

describe("the flags of the command", () => {
  it("exclude each other if one of them would have no effect", () => {
    for (const [flags, expected] of [
      [{ twice: true, write: true }, "--write: not with --twice"],
      [{ twice: true, injected: "quick" }, "--injected: not with --twice"],
      [{ page: "run.html", write: true }, "--write: not with --page"],
      [{ page: "run.html", mutants: "3" }, "--mutants: not with --page"],
      [{ page: "run.html", runs: "3" }, "--runs: not with --page"],
      [{ mutants: "3", injected: "orphans-kept" }, "--injected: not with --mutants"],
      [{ mutants: "3", steer: true }, "--steer: not with --mutants"],
      [{ injected: "quick", write: true }, "--write: not with --injected quick"],
    ] as const)
      expect(() => checkCombination(flags)).to.throw(UsageError, expected);
  });

  it("name an injected fault that exists", () => {
    expect(() => checkCombination({ injected: "no-fault" })).to.throw(
      UsageError,
      /^--injected: expected all, quick, .*, received no-fault$/,
    );
  });
});
