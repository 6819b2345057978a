import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

/** The blocks of the file whose only assertion is about nothing. */
const NOTHING = ["no elements", "no fields", "no text", "no entries", "zero", "zero wei", "no", "null", "undefined"];

describe("a run of tests", () => {
  it("fails for tests without an assertion, and for blocks whose assertions are all about nothing", () => {
    const [hooks, file] = [
      new URL("can-fail.ts", import.meta.url),
      new URL("tests-that-cannot-fail.ts", import.meta.url),
    ];
    const args = ["node_modules/mocha/bin/mocha.js", "--require", fileURLToPath(hooks), fileURLToPath(file)];
    const { stdout, status } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: "utf8",
    });
    const [, problems] = /Tests that cannot fail: (.*)\.$/m.exec(stdout) ?? [];
    expect(problems?.split("; "), stdout).to.deep.equal([
      '"silent tests of an empty list" evaluates no assertion',
      ...NOTHING.map((block) => `in "${block}", every assertion is about nothing`),
    ]);
    expect(status).to.equal(1);
  });
});
