/** Runs policies on the rules over many seeds, without a server. The number of simultaneous runs is bounded. */
import { bytesToHex } from "viem/utils";
import { PolicyProcess } from "../backend/adapters/policies/policy-process.ts";
import { getQuantile, toSeed } from "../domain/evaluation.ts";
import type { Run } from "../domain/league/course.ts";
import { findGame } from "../games/index.ts";
import { forfeitToToolError, throwToolError } from "./errors.ts";
import { Slots, type ToolCaller } from "./slots.ts";

export const SIMULATION_LIMITS = {
  atOnce: 3,
  guests: 1,
  perCaller: 1,
  seeds: 2_000,
  seconds: 600,
  timeoutMs: 30_000,
} as const;

const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;

export interface SimulationRequest {
  readonly slug: string;
  readonly policy: string;
  readonly seeds: number;
  /** Number of the first seed, to choose other courses. */
  readonly firstSeed: number;
  /** Game time after which a run stops. */
  readonly maxSeconds: number;
}

const getQuantiles = (values: readonly number[]): readonly number[] =>
  QUANTILES.map((fraction) => getQuantile(values, fraction));

function summarize({ slug, seeds, firstSeed, maxSeconds }: SimulationRequest, runs: readonly Run[]) {
  const { tickHz, nft } = findGame(slug)!;
  const scores = runs.map(({ score }) => score);
  const unknown = runs.flatMap((run) => run.unknown ?? []);
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
    firstTier: {
      points: nft.tiers[0]!.minScore,
      runs: scores.filter((score) => score >= nft.tiers[0]!.minScore).length,
    },
    /** Moves that the game does not know, with an example. */
    unknownMoves: {
      count: unknown.reduce((sum, { count }) => sum + count, 0),
      example: unknown[0]?.example ?? null,
    },
  };
}

/** The results of the runs that finish in time. Throws `ToolError` for a run that the policy forfeits. */
async function playCourses(policy: PolicyProcess, request: SimulationRequest): Promise<readonly Run[]> {
  const { slug, firstSeed, maxSeconds } = request;
  const { tickHz } = findGame(slug)!;
  const seeds = Array.from({ length: request.seeds }, (_, index) => bytesToHex(toSeed(firstSeed + index)));
  const runs: Run[] = [];
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    policy.stop();
  }, SIMULATION_LIMITS.timeoutMs);
  const forfeited = Promise.withResolvers<void>();
  const onRun = (run: Run): void => {
    runs.push(run);
    if (run.forfeit !== null) forfeited.resolve();
  };
  try {
    const played = policy.play({ slug, seeds, tickHz, ticksMax: maxSeconds * tickHz }, { onRun });
    await Promise.race([played, forfeited.promise]);
  } catch (error) {
    if (!isOver || runs.length === 0) throwToolError(error);
  } finally {
    clearTimeout(timer);
  }
  const seed = runs.findIndex(({ forfeit }) => forfeit !== null);
  if (seed >= 0) throw forfeitToToolError(runs[seed]!.forfeit!, seed);
  return runs;
}

export class Simulations {
  readonly #slots = new Slots({ ...SIMULATION_LIMITS, what: "simulations" });

  /** Throws `ToolError`. */
  async run(request: SimulationRequest, caller: ToolCaller) {
    const release = this.#slots.take(caller);
    try {
      const policy = await PolicyProcess.start(request.policy).catch((error) => throwToolError(error));
      try {
        return summarize(request, await playCourses(policy, request));
      } finally {
        policy.stop();
      }
    } finally {
      release();
    }
  }
}
