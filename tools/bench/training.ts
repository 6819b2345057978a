/** `npm run bench -- training`: steps a second of the training environments, with their observations. */
import { games } from "../../backend/games/index.ts";
import { makeEnv, makeVectorEnv } from "../../client/training/index.ts";
import { median } from "./compare/statistics.ts";
import { describeMachine } from "./ws/driver.ts";

const STEPS = 1_000_000;
const RUNS = 5;
const LANES = 32;
const BAR_STEPS_PER_SECOND = 1_200_000;

/** A cheap player that now and then changes its mind: 0 or 1, mostly 1. */
const pickAction = (step: number): number => (Math.imul(step, 2_654_435_761) >>> 28 === 0 ? 0 : 1);

/** Steps per second of CPU time. */
function measureSteps(play: () => void): number {
  const startCpu = process.cpuUsage();
  play();
  const { user, system } = process.cpuUsage(startCpu);
  return STEPS / ((user + system) / 1e6);
}

function playSingle(slug: string): void {
  const env = makeEnv(slug);
  let seed = 0;
  env.reset(seed);
  for (let step = 0; step < STEPS; step++) {
    const { terminated, truncated } = env.step(pickAction(step));
    if (terminated || truncated) env.reset(++seed);
  }
}

function playLanes(slug: string): void {
  const env = makeVectorEnv(slug, LANES);
  let seed = 0;
  env.reset(() => seed++);
  const actions = new Uint8Array(LANES);
  for (let step = 0; step < STEPS / LANES; step++) {
    for (let lane = 0; lane < LANES; lane++) actions[lane] = pickAction(step * LANES + lane);
    env.step(actions);
  }
}

export async function run(): Promise<void> {
  console.log(describeMachine());
  console.log(`\n| game | environment | steps per CPU second, median of ${RUNS} | bar |\n|---|---|---|---|`);
  for (const { slug } of games) {
    for (const [name, play] of [
      ["one run", playSingle],
      [`${LANES} runs`, playLanes],
    ] as const) {
      const rates = Array.from({ length: RUNS }, () => measureSteps(() => play(slug)));
      const million = (rate: number): string => `${(rate / 1e6).toFixed(2)} million`;
      console.log(`| ${slug} | ${name} | ${million(median(rates))} | ${million(BAR_STEPS_PER_SECOND)} |`);
    }
  }
}
