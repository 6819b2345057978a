/**
 * `npm run coverage`: lines and branches of the contracts that their tests reach. A branch is one outcome of a
 * decision: each condition of `if`, `?:` and loops (in assembly too), and each operand of `&&` and `||`, must be seen
 * true and seen false.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findMissed, readMarks } from "./coverage/count.ts";
import type { Branch } from "./coverage/instrument.ts";
import { root } from "./start/build.ts";

const LEAST_PERCENT = 98;
/** Tests whose subject is the bytecode itself, which counting changes. */
const OF_BYTECODE = ["artifacts.test.ts", "gas.test.ts", "two-nodes.test.ts"];

const folder = join(root, "coverage");
rmSync(folder, { recursive: true, force: true });
const tests = [
  ...globSync("test/contracts/*.test.ts", { cwd: root }),
  ...globSync("contracts/test/*.t.sol", { cwd: root }),
]
  .filter((file) => !OF_BYTECODE.some((name) => file.endsWith(name)))
  .sort();
const hardhat = ["node_modules/hardhat/dist/src/cli.js", "--config", "scripts/coverage/hardhat.config.ts"];
const { status } = spawnSync(process.execPath, [...hardhat, "--coverage", "--no-typechain", "test", ...tests], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) {
  console.error("The tests do not pass, so nothing was counted.");
  process.exit(1);
}

const branches = JSON.parse(readFileSync(join(folder, "branches.json"), "utf8")) as readonly Branch[];
const missed = findMissed(branches, readMarks(join(folder, "data")));
const lines = [...readFileSync(join(folder, "lcov.info"), "utf8").matchAll(/^DA:\d+,(\d+)$/gm)];
const counts = {
  lines: { all: lines.length, reached: lines.filter(([, count]) => count !== "0").length },
  branches: { all: 2 * branches.length, reached: 2 * branches.length - missed.length },
};
for (const { file, line, condition, outcome } of missed) {
  console.log(`never ${outcome}: ${file}:${line}  ${condition}`);
}
for (const [name, { all, reached }] of Object.entries(counts)) {
  const percent = (100 * reached) / all;
  console.log(`${name.padEnd(8)} ${reached} of ${all}  ${percent.toFixed(2)} %`);
  if (!(percent >= LEAST_PERCENT)) {
    console.error(`${name}: at least ${LEAST_PERCENT} % must be reached`);
    process.exitCode = 1;
  }
}
