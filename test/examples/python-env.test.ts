import { join } from "node:path";
import { expect } from "chai";
import { makeEnv } from "../../client/training/index.ts";
import { root } from "../../scripts/start/build.ts";
import { findPython } from "./python.ts";
import { runProgram } from "./run-program.ts";

const python = findPython();
const SEED = 11;
const TICKS = 120;

const PROGRAM = `
import json
from arcade_env import ArcadeEnv, ArcadeVectorEnv

with ArcadeEnv("shellrunners") as env:
    observation, info = env.reset(seed=${SEED})
    assert env.observation_space.contains(observation) and env.observation_space.shape == (len(observation),)
    assert env.action_space.contains(env.action_space.sample())
    runs = [[list(observation), 0, False, False, info["score"]]]
    for tick in range(${TICKS}):
        observation, reward, terminated, truncated, info = env.step(tick // 20 % 3)
        runs.append([list(observation), reward, terminated, truncated, info["score"]])
    try:
        env.step(3)
        error = None
    except ValueError as caught:
        error = str(caught)

with ArcadeVectorEnv("shellrunners", 4) as envs:
    observations, _ = envs.reset(seed=${SEED})
    first = list(observations[: len(envs.observation_fields)])
    ended = 0
    while ended < 5:
        observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
        ended += sum(terminations)
        assert all(end == 1 or score == 0 for score, end in zip(infos["final_score"], terminations))

print(json.dumps({"runs": runs, "error": error, "first": first}))
`;

describe("examples/python/arcade_env.py", () => {
  before(function () {
    if (python === null) this.skip();
  });

  it("has Gymnasium's API over the same numbers as the environment itself", async () => {
    const { code, output } = await runProgram(python!, ["-c", PROGRAM], {
      cwd: join(root, "examples/python"),
      env: { PYTHONDONTWRITEBYTECODE: "1" },
    });
    expect(code, output).to.equal(0);
    const { runs, error, first } = JSON.parse(output.slice(output.indexOf("{")));
    const env = makeEnv("shellrunners");
    const expected: unknown[] = [[[...env.reset(SEED).observation], 0, false, false, 0]];
    for (let tick = 0; tick < TICKS; tick++) {
      const { observation, reward, terminated, truncated, info } = env.step(Math.floor(tick / 20) % 3);
      expected.push([[...observation], reward, terminated, truncated, info.score]);
    }
    expect(runs).to.deep.equal(expected);
    expect(first).to.deep.equal(runs[0][0]);
    expect(error).to.equal("an action is from 0 to 2, not 3");
  });
});
