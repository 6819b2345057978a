import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

describe("npm test", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-test-command-"));
    await writeFile(join(folder, "passing.test.mjs"), 'it("passes", () => undefined);');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Runs the command on a passing test and on one with this body. */
  async function runBeside(body: string) {
    const lines = ['import { existsSync, writeFileSync } from "node:fs";', `it("has a fault", () => { ${body} });`];
    await writeFile(join(folder, "faulty.test.mjs"), lines.join("\n"));
    const files = ["passing.test.mjs", "faulty.test.mjs"].map((name) => relative(root, join(folder, name)));
    const { status, stdout } = spawnSync(process.execPath, ["scripts/run.mjs", "scripts/dev/test", ...files], {
      cwd: root,
      encoding: "utf8",
    });
    return { status, stdout };
  }

  const abort = 'process.kill(process.pid, "SIGABRT");';

  it("repeats the run, and reports it, after a native crash ended a process", async () => {
    const marker = JSON.stringify(join(folder, "marker"));
    const once = `if (!existsSync(${marker})) { writeFileSync(${marker}, ""); ${abort} }`;
    const { status, stdout } = await runBeside(once);
    expect(stdout).to.match(/^note: native code ended a process of the tests \(SIGABRT\)/m);
    expect(stdout).to.include("2 passed, 0 failed");
    expect(status).to.equal(0);
  });

  it("fails after a second such crash", async () => {
    const { status, stdout } = await runBeside(abort);
    expect(stdout).to.match(/^\d passed, 1 failed$/m);
    expect(status).to.equal(1);
  });

  it("does not repeat the run after a failed test", async () => {
    const { status, stdout } = await runBeside('throw new Error("no");');
    expect(stdout).to.include("1 passed, 1 failed").and.not.include("note:");
    expect(status).to.equal(1);
  });
});
