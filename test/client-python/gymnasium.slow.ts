import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { runProgram } from "../examples/run-program.ts";
import { findPythonWith } from "../helpers/python.ts";
import { python, type UnpackedWheel, unpackWheel } from "./package.ts";

const BLOCK = /^```python\n(import agent_arcade\n[\s\S]*?)^```$/m;
const PIP_FLAGS = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"];

/** A Python with Gymnasium: a new environment filled by pip, or this machine's; null if neither has it. */
async function findGymnasium(folder: string): Promise<string | null> {
  const made = join(folder, "bin/python");
  const venv = await runProgram(python, ["-m", "venv", folder]);
  const pip = venv.code === 0 ? await runProgram(made, ["-m", "pip", "install", ...PIP_FLAGS, "gymnasium"]) : venv;
  return pip.code === 0 ? made : findPythonWith("gymnasium");
}

const folder = mkdtempSync(join(tmpdir(), "arcade-gymnasium-"));
const found = await findGymnasium(folder);
const baselines = findPythonWith("stable_baselines3");
const program = baselines ?? found;
const checkers = baselines === null ? [] : ["stable_baselines3"];
if (found === null) console.log("\nnote: left out: Gymnasium, which pip did not get, and Stable-Baselines3");
else if (baselines === null) console.log("\nnote: Gymnasium checked; left out: Stable-Baselines3, not on this machine");

describe("the package for Python", () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("is installed by pip from the folder, without a download", async () => {
    const target = join(folder, "installed");
    const pip = ["-m", "pip", "install", ...PIP_FLAGS, "--no-index", "--target", target, join(root, "client-python")];
    // A new environment has pip, which the machine's Python may lack.
    const made = join(folder, "bin/python");
    expect((await runProgram(existsSync(made) ? made : python, pip)).output).to.equal("");
    expect(globSync("agent_arcade*", { cwd: target })).to.include("agent_arcade-0.1.0.dist-info");
  });

  if (program !== null) describe("with Gymnasium", () => checkEnvironments(program));
});

function checkEnvironments(program: string): void {
  let wheel: UnpackedWheel;
  before(async () => {
    wheel = await unpackWheel();
  });
  after(() => wheel?.remove());

  const run = (args: readonly string[]) => runProgram(program, ["-B", ...args], { env: wheel.env });

  it("passes the checkers, accepts numpy's numbers, and plays the seeds of single runs in parallel", async () => {
    const { code, output } = await run([join(root, "test/client-python/check_envs.py"), ...checkers]);
    expect(output).to.equal(`${JSON.stringify({ checked: ["gymnasium", ...checkers] }).replace(/([:,])/g, "$1 ")}\n`);
    expect(code).to.equal(0);
  });

  it("runs the README's program", async () => {
    const block = BLOCK.exec(readFileSync(join(root, "client-python/README.md"), "utf8"))![1]!;
    const { code, output } = await run(["-W", "error", "-c", `${block}\nprint(len(rewards), len(observation))`]);
    expect(output).to.equal("256 22\n");
    expect(code).to.equal(0);
  });

  it("trains a player that is better than a random one", async () => {
    const { code, output } = await run([join(root, "test/client-python/train.py")]);
    expect(code, output).to.equal(0);
  });
}
