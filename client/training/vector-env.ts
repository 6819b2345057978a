/**
 * Many runs of one game side by side, in flat arrays. A run that ends restarts with the next seed in the same step,
 * like Gymnasium's `AutoresetMode.SAME_STEP` (https://gymnasium.farama.org/api/vector/).
 */
import type { InputCode, ObservationField } from "../../games/game.ts";
import { type EnvOptions, Run, type Seed } from "./env.ts";

export interface VectorStepResult {
  /** `count` observations, run after run; for a run that ended, the first one of the next run. */
  readonly observations: Float32Array;
  readonly rewards: Float32Array;
  /** 1 if a run lost its last life in this step. */
  readonly terminated: Uint8Array;
  /** 1 if a run's time was up in this step. */
  readonly truncated: Uint8Array;
  /** Scores of the runs that ended in this step, in order; usually empty. */
  readonly finalScores: readonly number[];
  /** The last observations of these runs. */
  readonly finalObservations: Float32Array;
}

export interface VectorEnv {
  readonly slug: string;
  readonly tickHz: number;
  readonly count: number;
  readonly observationFields: readonly ObservationField[];
  readonly actions: readonly InputCode["message"][];
  /** Starts all runs; `nextSeed` is called for each, and again whenever one ends. */
  reset(nextSeed: () => Seed): Float32Array;
  /** Plays one step of each run, with one action for each. The result arrays are reused. */
  step(actions: ArrayLike<number>): VectorStepResult;
}

/**
 * Makes `count` environments of a game.
 * @throws RangeError for an unknown game, tick rate, duration or count
 */
export function makeVectorEnv(slug: string, count: number, options: EnvOptions = {}): VectorEnv {
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`count is a whole number from 1 on, not ${count}`);
  const runs = Array.from({ length: count }, () => new Run(slug, options));
  const { game } = runs[0]!;
  const size = game.observation.fields.length;
  const observations = new Float32Array(count * size);
  const lastObservations = new Float32Array(count * size);
  const rewards = new Float32Array(count);
  const terminated = new Uint8Array(count);
  const truncated = new Uint8Array(count);
  let takeSeed: () => Seed = () => {
    throw new Error("no run is going on: call reset(nextSeed) first");
  };
  return {
    slug: game.slug,
    tickHz: runs[0]!.tickHz,
    count,
    observationFields: game.observation.fields,
    actions: game.inputs.map(({ message }) => message),
    reset(nextSeed) {
      takeSeed = nextSeed;
      for (const [index, run] of runs.entries()) {
        run.begin(takeSeed());
        run.observe(observations, index * size);
      }
      return observations;
    },
    step(actions) {
      if (actions.length !== count) throw new RangeError(`one action for each of ${count} runs, not ${actions.length}`);
      const finalScores: number[] = [];
      for (let index = 0; index < count; index += 1) {
        const run = runs[index]!;
        rewards[index] = run.advance(actions[index]!);
        terminated[index] = run.state.over ? 1 : 0;
        truncated[index] = run.isTruncated ? 1 : 0;
        if (run.isOver) {
          run.observe(lastObservations, finalScores.length * size);
          finalScores.push(run.state.score);
          run.begin(takeSeed());
        }
        run.observe(observations, index * size);
      }
      const finalObservations = lastObservations.subarray(0, finalScores.length * size);
      return { observations, rewards, terminated, truncated, finalScores, finalObservations };
    },
  };
}
