/**
 * Trains the policy of `policy.ts` on flappybots by the cross-entropy method, without a server, and compares it with the
 * game's reference bot on courses that it has not seen.
 *
 * usage, in the repository: npm exec -- node examples/train/train.ts
 * then: npm run agent -- --game flappybots --bot examples/train/bot.ts
 */
import { writeFileSync } from "node:fs";
import { makeEnv } from "../../client/training/index.ts";
import { findGame } from "../../games/index.ts";
import { playBot } from "../../scripts/evaluate/play.ts";
import { createRandom, type Distribution, improve } from "./cross-entropy.ts";
import { type Numbers, PARAMETERS, shouldFlap } from "./policy.ts";
import { createObservationReader } from "./view.ts";

const SLUG = "flappybots";
const GENERATIONS = 14;
const CANDIDATES = 32;
const ELITE = 8;
const RUNS_OF_A_CANDIDATE = 6;
/** Far from the seeds of training. */
const FRESH_SEED = 1_000_000;
const FRESH_RUNS = 200;
/** Actions of the game: 0 sends FLAP, 1 sends NOOP. */
const [FLAP, NOOP] = [0, 1];

const env = makeEnv(SLUG);
const readView = createObservationReader(env);

/** The score of one run. */
export function play(seed: number, numbers: Numbers): number {
  let { observation } = env.reset(seed);
  for (;;) {
    const step = env.step(shouldFlap(readView(observation), numbers) ? FLAP : NOOP);
    observation = step.observation;
    if (step.terminated || step.truncated) return step.info.score;
  }
}

/** The score of the game's reference bot on the same course. */
export function playReference(seed: number): number {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, seed, true);
  const game = findGame(SLUG)!;
  return playBot(game, bytes, game.bots.reference()).state.score;
}

export const getMedian = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Trains with new courses in each generation; the same constants give the same result. */
function train(): Numbers {
  let distribution: Distribution = {
    means: PARAMETERS.map(({ mean }) => mean),
    deviations: PARAMETERS.map(({ deviation }) => deviation),
  };
  const random = createRandom(1);
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const seeds = Array.from({ length: RUNS_OF_A_CANDIDATE }, (_, run) => generation * RUNS_OF_A_CANDIDATE + run);
    const score = (numbers: Numbers) => seeds.reduce((sum, seed) => sum + play(seed, numbers), 0) / seeds.length;
    const next = improve(distribution, { candidates: CANDIDATES, elite: ELITE, inertia: 0.2, random, score });
    distribution = next.distribution;
    console.log(`generation ${generation + 1} of ${GENERATIONS}: ${Math.round(next.bestScore)} points`);
  }
  return distribution.means;
}

function main(): void {
  const startedMs = performance.now();
  const numbers = train();
  console.log(`trained in ${Math.round((performance.now() - startedMs) / 1000)} s`);
  const named = Object.fromEntries(PARAMETERS.map(({ name }, at) => [name, Number(numbers[at]!.toFixed(4))]));
  writeFileSync(new URL("flappybots.json", import.meta.url), `${JSON.stringify(named, null, 2)}\n`);
  const seeds = Array.from({ length: FRESH_RUNS }, (_, run) => FRESH_SEED + run);
  const policy = getMedian(seeds.map((seed) => play(seed, Object.values(named))));
  const reference = getMedian(seeds.map(playReference));
  console.log(`median of ${FRESH_RUNS} fresh courses: policy ${policy}, reference bot ${reference}`);
  console.log(`the policy scores ${(policy / reference).toFixed(2)} times as much`);
}

if (import.meta.main) main();
