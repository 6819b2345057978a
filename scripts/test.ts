/** `npm test`: everything a change must pass, as two lanes side by side, with one closing line of counts. */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { buildContracts, root } from "./start/build.ts";

interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
}

const HARDHAT = "node_modules/hardhat/dist/src/cli.js";
const MOCHA = "node_modules/mocha/bin/mocha.js";

/** The last number before a word in a runner's own summary, summed over its lines. */
const count = (words: string, pattern: RegExp): number =>
  [...words.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);

function runLane(name: string, args: readonly string[]): Promise<Outcome> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, FORCE_COLOR: "0", ARCADE_LOG_LEVEL: "silent" },
    });
    let words = "";
    child.stdout.on("data", (chunk) => {
      words += chunk;
    });
    child.stderr.on("data", (chunk) => {
      words += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const passed = count(words, /^\s*(\d+) passing\b/gm);
      const reported = count(words, /^\s*(\d+) failing\b/gm);
      // A runner that dies, or that ran nothing, is a failure too.
      const failed = reported === 0 && (code !== 0 || passed === 0) ? 1 : reported;
      const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
      if (failed > 0) console.log(`\n${words.trimEnd()}\n`);
      console.log(`${failed === 0 ? "ok  " : "FAIL"} ${name}: ${passed} passed, ${failed} failed (${seconds} s)`);
      resolve({ name, passed, failed, seconds });
    });
  });
}

const only = process.argv.slice(2);
console.log("building contracts …");
await buildContracts();
const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((file) => join(root, file));
const suites =
  only.length > 0 ? only : files("test/**/*.test.ts").filter((file) => !file.includes(join("test", "contracts")));
console.log(`running ${suites.length} files of tests …`);
const mocha = runLane("service", [
  MOCHA,
  "--parallel",
  "--jobs",
  "2",
  "--timeout",
  "60000",
  "--reporter",
  "dot",
  ...suites,
]);
const lanes = only.length > 0 ? [mocha] : [mocha, runLane("contracts", [HARDHAT, "test"])];
const outcomes = await Promise.all(lanes);
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
