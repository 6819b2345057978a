/** `npm run lab -- bench training`: steps a second of the training environments, with their observations (P14). */
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeEnv, makeVectorEnv } from "../../client/training/index.ts";
import type { Game } from "../../games/game.ts";
import { games } from "../../games/index.ts";
import { bundleRules } from "../../scripts/packages/python.ts";
import { root } from "../../scripts/start/build.ts";
import { measureCpuUs } from "./compare/cpu.ts";
import type { Benchmark, Options, Row, Side } from "./compare/types.ts";

const LANES = 32;
const BAR_STEPS_PER_SECOND = 1_200_000;
const PYTHON_LANES = 256;
const PYTHON_BAR_STEPS_PER_SECOND = 150_000;
/** Mostly action 1, now and then 0. */
const PYTHON_PROGRAM = `
import json, sys, time
from agent_arcade import Training

game, runs, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
actions = bytes(0 if (step * 2654435761 & 0xFFFFFFFF) >> 28 == 0 else 1 for step in range(steps))
with Training(game, runs) as training:
    observations = training.reset(range(runs))
    started = time.perf_counter()
    for begin in range(0, steps, runs):
        observations = training.step(actions[begin : begin + runs]).observations
    seconds = time.perf_counter() - started
    print(json.dumps({"stepsPerSecond": round(steps / seconds), "observations": observations.tobytes().hex()}))
`;

/** A cheap player that now and then changes its mind: 0 or 1, mostly 1. */
const pickAction = (step: number): number => (Math.imul(step, 2_654_435_761) >>> 28 === 0 ? 0 : 1);

/** Plays this number of steps in all, from seed 0 on; returns the last observations of all lanes. */
type Play = (slug: string, steps: number) => Float32Array;

const playSingle: Play = (slug, steps) => {
  const env = makeEnv(slug);
  let seed = 0;
  let { observation } = env.reset(seed);
  for (let step = 0; step < steps; step++) {
    const { terminated, truncated } = env.step(pickAction(step));
    if (terminated || truncated) ({ observation } = env.reset(++seed));
  }
  return observation;
};

const playLanes: Play = (slug, steps) => {
  const env = makeVectorEnv(slug, LANES);
  let seed = 0;
  let observations = env.reset(() => seed++);
  const actions = new Uint8Array(LANES);
  for (let step = 0; step < steps / LANES; step++) {
    for (let lane = 0; lane < LANES; lane++) actions[lane] = pickAction(step * LANES + lane);
    ({ observations } = env.step(actions));
  }
  return observations;
};

/** The same with nothing but the game's rules. */
function playRules(game: Game, lanes: number, steps: number): Float32Array {
  let seeds = 0;
  const begin = () => {
    const seed = new Uint8Array(32);
    new DataView(seed.buffer).setUint32(0, seeds++, true);
    return game.init(seed, game.tickHz);
  };
  const states = Array.from({ length: lanes }, begin);
  for (let step = 0; step < steps; step++) {
    const lane = step % lanes;
    const { code, mode } = game.inputs[pickAction(step)]!;
    game.step(states[lane]!, mode === "idle" ? [] : [code]);
    if (states[lane]!.over) states[lane] = begin();
  }
  const { fields, write } = game.observation!;
  const observations = new Float32Array(lanes * fields.length);
  for (const [lane, state] of states.entries()) write(state, observations, lane * fields.length);
  return observations;
}

function createSide(name: string, slug: string, play: Play, steps: number, expected: Float32Array): Side {
  return {
    name,
    runRound: async () => {
      let last = new Float32Array();
      const cpuUs = await measureCpuUs(() => {
        last = new Float32Array(play(slug, steps));
      });
      const isSame = Buffer.from(last.buffer).equals(Buffer.from(expected.buffer));
      return { value: steps / (cpuUs / 1e6), missing: isSame ? null : "the observations of the rules" };
    },
  };
}

/** The same work through the bridge; the value counts both processes by the wall clock. */
function createPythonSide(name: string, slug: string, steps: number, expected: Float32Array): Side {
  return {
    name,
    runRound: async () => {
      const args = ["-B", "-c", PYTHON_PROGRAM, slug, String(PYTHON_LANES), String(steps)];
      await bundleRules();
      const { stdout } = await promisify(execFile)("python3", args, { cwd: join(root, "client-python") });
      const { stepsPerSecond, observations } = JSON.parse(stdout) as { stepsPerSecond: number; observations: string };
      const isSame = observations === Buffer.from(expected.buffer).toString("hex");
      return { value: stepsPerSecond, missing: isSame ? null : "the observations of the rules" };
    },
  };
}

/** No row where there is no Python 3; a message reports it. */
function* createPythonRows({ isQuick }: Options): Generator<Row> {
  if (spawnSync("python3", ["--version"]).status !== 0) {
    console.error("python3 does not run here: the rows through Python are left out");
    return;
  }
  const steps = PYTHON_LANES * (isQuick ? 200 : 2_000);
  for (const game of games.filter(({ observation }) => observation !== undefined)) {
    const expected = playRules(game, PYTHON_LANES, steps);
    yield {
      id: "P14",
      what: `${game.slug}, ${PYTHON_LANES} runs side by side, from Python`,
      figure: { name: "steps", unit: "steps per second", better: "higher" },
      rounds: isQuick ? 2 : 5,
      sides: [createPythonSide("Agent Arcade", game.slug, steps, expected)],
      idle: createSide("idle", game.slug, () => new Float32Array(expected.length), steps, expected),
      bars: [{ min: PYTHON_BAR_STEPS_PER_SECOND }],
    };
  }
}

function* createRows(options: Options): Generator<Row> {
  const { isQuick } = options;
  const steps = LANES * (isQuick ? 1000 : 31_250);
  for (const game of games.filter(({ observation }) => observation !== undefined)) {
    for (const [lanes, play] of [
      [1, playSingle],
      [LANES, playLanes],
    ] as const) {
      const expected = playRules(game, lanes, steps);
      yield {
        id: "P14",
        what: `${game.slug}, ${lanes === 1 ? "one run" : `${lanes} runs side by side`}, with observations`,
        figure: { name: "steps", unit: "steps per CPU second", better: "higher" },
        rounds: isQuick ? 2 : 5,
        sides: [createSide("Agent Arcade", game.slug, play, steps, expected)],
        idle: createSide("idle", game.slug, () => new Float32Array(expected.length), steps, expected),
        bars: [{ min: BAR_STEPS_PER_SECOND }],
      };
    }
  }
  yield* createPythonRows(options);
}

export const benchmark: Benchmark = {
  summary: "steps per CPU second of the training environments, steps per second through Python",
  rows: createRows,
};
