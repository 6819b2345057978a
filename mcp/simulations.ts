/** Policies on the pure rules: many seeds, no server. A bounded number runs at once. */
import { getQuantile, toSeed } from "../domain/evaluation.ts";
import { findGame } from "../games/index.ts";
import { ToolError } from "./errors.ts";
import { PolicyProcess, type PolicyRun } from "./sandbox/process.ts";
import { Slots, type ToolCaller } from "./slots.ts";

export const SIMULATION_LIMITS = { atOnce: 2, perCaller: 1, seeds: 2_000, seconds: 600, timeoutMs: 30_000 } as const;

const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;

export interface SimulationRequest {
  readonly slug: string;
  readonly policy: string;
  readonly seeds: number;
  /** Number of the first seed: other courses than before. */
  readonly firstSeed: number;
  /** Game time after which a run stops. */
  readonly maxSeconds: number;
}

const toSeedText = (number: number): string => Buffer.from(toSeed(number)).toString("hex");

const getQuantiles = (values: readonly number[]): readonly number[] =>
  QUANTILES.map((fraction) => getQuantile(values, fraction));

function summarize({ slug, seeds, firstSeed, maxSeconds }: SimulationRequest, runs: readonly PolicyRun[]) {
  const { tickHz, nft } = findGame(slug)!;
  const scores = runs.map(({ score }) => score);
  const toSeedNumber = (score: number): number => firstSeed + scores.indexOf(score);
  return {
    slug,
    runs: runs.length,
    isComplete: runs.length === seeds,
    /** Quantiles 5, 25, 50, 75 and 95 %. */
    points: getQuantiles(scores),
    seconds: getQuantiles(runs.map(({ ticks }) => Math.round(ticks / tickHz))),
    meanPoints: Math.round(scores.reduce((sum, score) => sum + score, 0) / runs.length),
    worst: { seed: toSeedNumber(Math.min(...scores)), points: Math.min(...scores) },
    best: { seed: toSeedNumber(Math.max(...scores)), points: Math.max(...scores) },
    cutAtSeconds: runs.filter(({ ticks }) => ticks >= maxSeconds * tickHz).length,
    firstTier: { points: nft.tiers[0]!.minScore, runs: runs.filter((run) => run.firstTierTick !== null).length },
  };
}

export class Simulations {
  readonly #slots = new Slots({ ...SIMULATION_LIMITS, what: "simulations" });

  /** Throws `ToolError`. */
  async run(request: SimulationRequest, caller: ToolCaller) {
    const evicted = Promise.withResolvers<never>();
    evicted.promise.catch(() => undefined);
    const release = this.#slots.take(caller, () =>
      evicted.reject(new ToolError("BUSY", "The simulation gave way to one of a player; try again in a minute.")),
    );
    try {
      const policy = await PolicyProcess.start(request.policy);
      try {
        const { tickHz } = findGame(request.slug)!;
        const seeds = Array.from({ length: request.seeds }, (_, index) => toSeedText(request.firstSeed + index));
        const options = { ticksMax: request.maxSeconds * tickHz, timeoutMs: SIMULATION_LIMITS.timeoutMs };
        const runs = policy.simulate(request.slug, seeds, options);
        return summarize(request, await Promise.race([runs, evicted.promise]));
      } finally {
        policy.stop();
      }
    } finally {
      release();
    }
  }
}
