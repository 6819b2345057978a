import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SUITES } from "../../scripts/dev/suites.ts";
import { root } from "../../scripts/start/build.ts";

describe("slow tests", () => {
  it("each belong to a suite", () => {
    const inSuites = new Set(globSync(Object.values(SUITES).flat(), { cwd: root }));
    const left = globSync("test/**/*.{slow,browser}.ts", { cwd: root }).filter((file) => !inSuites.has(file));
    expect(left).to.deep.equal([]);
  });

  it("are in suites that .ci/run runs", () => {
    const checks = readFileSync(join(root, ".ci/run"), "utf8");
    const run = [...checks.matchAll(/^ *check .*npm test --silent -- --suite (\S+)$/gm)].map(([, name]) => name);
    expect(run).to.have.members(Object.keys(SUITES));
  });
});
