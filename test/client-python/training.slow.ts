import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { makeEnv, makeVectorEnv, type StepResult } from "../../client/training/index.ts";
import { root } from "../../scripts/start/build.ts";
import { runProgram } from "../examples/run-program.ts";
import { python, type UnpackedWheel, unpackWheel } from "./package.ts";

const SEED = 11;
const TICKS = 120;
const RUNS = 4;
const README = readFileSync(join(root, "client-python/README.md"), "utf8");

const PROGRAM = `
import json
from agent_arcade import Training

runs = []
with Training("shellrunners") as training:
    observation = training.reset([${SEED}])
    runs.append([list(observation), 0, 0, 0, 0])
    for tick in range(${TICKS}):
        step = training.step([tick // 20 % 3])
        runs.append([list(step.observations), step.rewards[0], step.terminated[0], step.truncated[0], step.scores[0]])

with Training("shellrunners", ticks_per_step=4) as training:
    training.reset([${SEED}])
    long = [[list(step.observations), step.rewards[0]] for step in (training.step([n % 3]) for n in range(20))]

vector = []
with Training("shellrunners", ${RUNS}) as training:
    vector.append(list(training.reset([7, 5, 1, 2])))
    for tick in range(600):
        step = training.step([tick % 3, 1, 2, 0])
        if any(step.terminated):
            vector.append([list(part) for part in step])

print(json.dumps({"runs": runs, "vector": vector, "long": long}))
`;

const REFUSALS = `
from agent_arcade import Training

def show(call):
    try:
        print("accepted", call())
    except Exception as error:
        print(type(error).__name__, error)

training = Training("flappybots")
show(lambda: training.step([1]))
training.reset([1])
for action in (2, -1, 1.0, "x", None, [1], 256):
    show(lambda: training.step([action]))
for actions in ([], [0, 1], 1, b"\\2"):
    show(lambda: training.step(actions))
for seed in (-1, 2**32, 1.5, "x", None):
    show(lambda: training.reset([seed]))
first = list(training.reset([2**32 - 1]))
training.step([0])
assert list(training.reset([2**32 - 1])) == first, "a refused action must not be played"
while not training.step([1]).terminated[0]:
    pass
show(lambda: training.step([1]))
process = training._process
training.close()
training.close()
assert process.returncode is not None
show(lambda: training.reset([1]))
show(lambda: Training("no-game"))
show(lambda: Training("flappybots", 0))
show(lambda: Training("flappybots", 4097))
show(lambda: Training("flappybots", 1, 101))
`;

describe("the training of client-python", () => {
  let wheel: UnpackedWheel;
  before(async () => {
    wheel = await unpackWheel();
  });
  after(() => wheel?.remove());
  // -S: the standard library only.
  const run = (program: string, env = {}) =>
    runProgram(python, ["-S", "-c", program], { env: { ...wheel.env, ...env } });

  it("gives the same numbers as the environments in TypeScript", async () => {
    const { code, output } = await run(PROGRAM);
    expect(code, output).to.equal(0);
    const { runs, vector, long } = JSON.parse(output);
    const env = makeEnv("shellrunners");
    const expected: unknown[] = [[[...env.reset(SEED).observation], 0, 0, 0, 0]];
    for (let tick = 0; tick < TICKS; tick++) {
      const { observation, reward, terminated, truncated, info } = env.step(Math.floor(tick / 20) % 3);
      expected.push([[...observation], reward, Number(terminated), Number(truncated), info.score]);
    }
    expect(runs).to.deep.equal(expected);
    const longEnv = makeEnv("shellrunners", { ticksPerStep: 4 });
    longEnv.reset(SEED);
    const toPair = ({ observation, reward }: StepResult) => [[...observation], reward];
    expect(long).to.deep.equal(Array.from({ length: 20 }, (_, n) => toPair(longEnv.step(n % 3))));
    expect(vector).to.deep.equal(playVector());
  });

  it("rejects wrong actions, seeds and games in one line, plays none of them, and ends its process", async () => {
    const { code, output } = await run(REFUSALS);
    expect(code, output).to.equal(0);
    const seeds = "ValueError expected a seed from 0 to 4294967295, received";
    const action = "ValueError expected an action from 0 to 1 (whole numbers), received";
    expect(output.trim().split("\n")).to.deep.equal([
      "RuntimeError no run has begun: call reset first",
      ...["2", "-1", "1.0", "'x'", "None", "[1]", "256", "[]", "[0, 1]", "1", "2"].map((each) => `${action} ${each}`),
      ...["-1", "4294967296", "1.5", "'x'", "None"].map((each) => `${seeds} ${each}`),
      "RuntimeError no run has begun: call reset first",
      "RuntimeError the environment is closed",
      'ValueError Expected one of shellrunners, flappybots as the game, received "no-game".',
      "ValueError expected 1 to 4096 runs, received 0",
      "ValueError expected 1 to 4096 runs, received 4097",
      "ValueError expected ticksPerStep from 1 to 100, received 101",
    ]);
  });

  it("explains what to do if Node is not found", async () => {
    const { output } = await run('from agent_arcade import Training; Training("flappybots")', {
      ARCADE_NODE: "no-node",
    });
    expect(output).to.include("no-node was not found: install Node 20 or later, or set its path in ARCADE_NODE");
  });

  it("runs the README's program without Gymnasium", async () => {
    const program = /^```python\n(from agent_arcade import Training[\s\S]*?)^```$/m.exec(README)![1]!;
    const { code, output } = await run(program);
    expect(output).to.equal("[0.0, 0.0, 0.0, 0.0] [0, 0, 0, 0]\n");
    expect(code).to.equal(0);
  });

  it("has the verifier of examples/verifier as a command", async () => {
    const { code, output } = await runProgram(python, ["-S", "-m", "agent_arcade.verify", "--help"], {
      env: wheel.env,
    });
    expect(output).to.include("--replays");
    expect(code).to.equal(0);
  });

  it("is a wheel whose record has the digest of every file", () => {
    const program = [
      "import base64, hashlib, sys, zipfile",
      "wheel = zipfile.ZipFile(sys.argv[1])",
      "names = wheel.namelist()",
      'record = wheel.read(next(name for name in names if name.endswith("/RECORD"))).decode().split()',
      "assert sorted(line.split(',')[0] for line in record) == sorted(names)",
      "for path, digest, size in (line.split(',') for line in record if ',,' not in line):",
      "    digest_of = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(path)).digest()).rstrip(b'=').decode()",
      "    assert digest == 'sha256=' + digest_of and int(size) == len(wheel.read(path)), path",
      "print(len(names))",
    ].join("\n");
    const files = execFileSync(python, ["-c", program, wheel.wheel], { encoding: "utf8" });
    expect(Number(files)).to.be.greaterThan(5);
  });
});

/** The play of PROGRAM's vector: the first observations, and each step in which a run ended. */
function playVector(): unknown[] {
  const envs = makeVectorEnv("shellrunners", RUNS);
  const given = [7, 5, 1, 2].values();
  let latest = 2;
  const steps: unknown[] = [[...envs.reset(() => given.next().value ?? ++latest)]];
  for (let tick = 0; tick < 600; tick++) {
    const step = envs.step([tick % 3, 1, 2, 0]);
    if (step.finalScores.length === 0) continue;
    const finals = step.finalScores.values();
    const scores = [...step.terminated].map((ended) => (ended === 1 ? finals.next().value : 0));
    const { observations, rewards, terminated, truncated, finalObservations } = step;
    steps.push([observations, rewards, scores, terminated, truncated, finalObservations].map((part) => [...part]));
  }
  return steps;
}
