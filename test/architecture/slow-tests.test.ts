import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

/** The files of tests that commands of package.json name and that `.ci/run` runs. */
function listFilesRunByCi(): ReadonlySet<string> {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const checks = readFileSync(join(root, ".ci/run"), "utf8");
  const names = [...checks.matchAll(/^ *check .*npm run --silent (\S+)/gm)].map(([, name]) => name!);
  const patterns = names.flatMap((name) => scripts[name]!.split(" ").filter((word) => word.startsWith("test/")));
  return new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })));
}

describe("slow tests", () => {
  it("are each run by a command of .ci/run", () => {
    const run = listFilesRunByCi();
    const left = globSync("test/**/*.{slow,browser}.ts", { cwd: root }).filter((file) => !run.has(file));
    expect(left).to.deep.equal([]);
  });
});
