/**
 * `npm run lab -- coverage`: lines and branches of the contracts that their tests reach. A branch is one outcome of a
 * decision: each condition of `if`, `?:` and loops (in assembly too), and each operand of `&&` and `||`, must be
 * true once and false once.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineCommand } from "../scripts/cli/command.ts";
import { CommandError, EXIT } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { root } from "../scripts/start/build.ts";
import { findMissed, readMarks } from "./coverage/count.ts";
import type { Branch } from "./coverage/instrument.ts";

const MIN_PERCENT = 98;
/** Tests whose subject is the bytecode itself, which counting changes. */
const BYTECODE_TESTS = ["artifacts.test.ts", "gas.test.ts", "two-nodes.test.ts"];

const folder = join(root, "coverage");

/** Runs the contracts' tests on instrumented code. Throws `CommandError` where they fail. */
function runTests(terminal: Terminal): void {
  rmSync(folder, { recursive: true, force: true });
  const tests = [
    ...globSync("test/contracts/**/*.test.ts", { cwd: root }),
    ...globSync("test/solidity/*.t.sol", { cwd: root }),
  ]
    .filter((file) => !BYTECODE_TESTS.some((name) => file.endsWith(name)))
    .sort();
  const hardhat = ["node_modules/hardhat/dist/src/cli.js", "--config", "test/solidity/coverage.config.ts"];
  const { status } = spawnSync(process.execPath, [...hardhat, "--coverage", "test", ...tests], {
    cwd: root,
    stdio: ["inherit", terminal.json ? 2 : "inherit", "inherit"],
  });
  if (status !== 0) throw new CommandError("The tests do not pass, so nothing was counted.");
}

/** Lines and branches, counted from the marks that the tests wrote to the folder. */
function readCounts() {
  const branches = JSON.parse(readFileSync(join(folder, "branches.json"), "utf8")) as readonly Branch[];
  const missed = findMissed(branches, readMarks(join(folder, "data")));
  const lines = [...readFileSync(join(folder, "lcov.info"), "utf8").matchAll(/^DA:\d+,(\d+)$/gm)];
  const totals = [
    { name: "lines", all: lines.length, reached: lines.filter(([, count]) => count !== "0").length },
    { name: "branches", all: 2 * branches.length, reached: 2 * branches.length - missed.length },
  ];
  return { missed, counts: totals.map((total) => ({ ...total, percent: (100 * total.reached) / total.all })) };
}

export const command = defineCommand({
  name: "lab coverage",
  summary: `counts the contracts' lines and branches that the tests reach; less than ${MIN_PERCENT} % fails`,
  examples: ["npm run lab -- coverage"],
  async run(_, terminal) {
    runTests(terminal);
    const { missed, counts } = readCounts();
    for (const { file, line, condition, outcome } of missed)
      terminal.print(`never ${outcome}: ${file}:${line}  ${condition}`);
    for (const { name, all, reached, percent } of counts)
      terminal.print(`${name.padEnd(8)} ${reached} of ${all}  ${percent.toFixed(2)} %`);
    const tooLow = counts.filter(({ percent }) => !(percent >= MIN_PERCENT));
    for (const { name } of tooLow) process.stderr.write(`${name}: at least ${MIN_PERCENT} % must be reached\n`);
    terminal.printJson({ ok: tooLow.length === 0, counts, missed });
    return tooLow.length === 0 ? EXIT.ok : EXIT.error;
  },
});
