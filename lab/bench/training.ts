/** `npm run lab -- bench training`: steps a second of the training environments, with their observations (P14). */
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeEnv } from "../../client/training/index.ts";
import { findGame } from "../../games/index.ts";
import { bundleRules } from "../../scripts/packages/python.ts";
import { root } from "../../scripts/start/build.ts";
import { measureCpuUs } from "./compare/cpu.ts";
import type { Benchmark, Options, Row, Side } from "./compare/types.ts";

/** The game whose steps cost more. */
const SLUG = "shellrunners";
const game = findGame(SLUG)!;
/** Mostly action 1, now and then 0. */
const PYTHON_PROGRAM = `
import json, sys, time
from agent_arcade import Training

game, steps = sys.argv[1], int(sys.argv[2])
actions = bytes(0 if (step * 2654435761 & 0xFFFFFFFF) >> 28 == 0 else 1 for step in range(steps))
with Training(game, 1) as training:
    observations = training.reset([0])
    started = time.perf_counter()
    for step in range(steps):
        observations = training.step(actions[step : step + 1]).observations
    seconds = time.perf_counter() - started
    print(json.dumps({"stepsPerSecond": round(steps / seconds), "observations": observations.tobytes().hex()}))
`;

/** A cheap player: mostly 1, sometimes 0. */
const pickAction = (step: number): number => (Math.imul(step, 2_654_435_761) >>> 28 === 0 ? 0 : 1);

/** Plays this number of steps in all, from seed 0 on; returns the last observation. */
type Play = (steps: number) => Float32Array;

const playInNode: Play = (steps) => {
  const env = makeEnv(SLUG);
  let seed = 0;
  let { observation } = env.reset(seed);
  for (let step = 0; step < steps; step++) {
    const { terminated, truncated } = env.step(pickAction(step));
    if (terminated || truncated) ({ observation } = env.reset(++seed));
  }
  return observation;
};

/** The same with only the game's rules. */
function playRules(steps: number): Float32Array {
  let seeds = 0;
  const begin = () => {
    const seed = new Uint8Array(32);
    new DataView(seed.buffer).setUint32(0, seeds++, true);
    return game.init(seed, game.tickHz);
  };
  let state = begin();
  for (let step = 0; step < steps; step++) {
    const { code, mode } = game.inputs[pickAction(step)]!;
    game.step(state, mode === "idle" ? [] : [code]);
    if (state.over) state = begin();
  }
  const { fields, write } = game.observation!;
  const observation = new Float32Array(fields.length);
  write(state, observation, 0);
  return observation;
}

function createSide(name: string, play: Play, steps: number, expected: Float32Array): Side {
  return {
    name,
    runRound: async () => {
      let last = new Float32Array();
      const cpuUs = await measureCpuUs(() => {
        last = new Float32Array(play(steps));
      });
      const isSame = Buffer.from(last.buffer).equals(Buffer.from(expected.buffer));
      return { value: steps / (cpuUs / 1e6), missing: isSame ? null : "the observations of the rules" };
    },
  };
}

/** The same work through the bridge; the value counts both processes by the wall clock. */
function createPythonSide(name: string, steps: number, expected: Float32Array): Side {
  return {
    name,
    runRound: async () => {
      const args = ["-B", "-c", PYTHON_PROGRAM, SLUG, String(steps)];
      await bundleRules();
      const { stdout } = await promisify(execFile)("python3", args, { cwd: join(root, "client-python") });
      const { stepsPerSecond, observations } = JSON.parse(stdout) as { stepsPerSecond: number; observations: string };
      const isSame = observations === Buffer.from(expected.buffer).toString("hex");
      return { value: stepsPerSecond, missing: isSame ? null : "the observations of the rules" };
    },
  };
}

function* createRows({ isQuick }: Options): Generator<Row> {
  const createRow = (where: string, unit: string, steps: number, min: number, create: typeof createPythonSide): Row => {
    const expected = playRules(steps);
    return {
      id: "P14",
      what: `${SLUG}, one environment ${where}`,
      figure: { name: "steps with observations", unit, better: "higher" },
      rounds: isQuick ? 2 : 5,
      sides: [create("Agent Arcade", steps, expected)],
      idle: createSide("idle", () => new Float32Array(expected.length), steps, expected),
      bars: [{ min }],
    };
  };
  const createNodeSide: typeof createPythonSide = (name, ...work) => createSide(name, playInNode, ...work);
  yield createRow("in Node", "steps per CPU second", isQuick ? 32_000 : 1_000_000, 1_200_000, createNodeSide);
  if (spawnSync("python3", ["--version"]).status !== 0) {
    console.error("python3 does not run here: the row through Python is left out");
    return;
  }
  yield createRow("from Python", "steps per second", isQuick ? 5_000 : 100_000, 150_000, createPythonSide);
}

export const benchmark: Benchmark = {
  summary: "steps per CPU second of a training environment, steps per second through Python",
  rows: createRows,
};
