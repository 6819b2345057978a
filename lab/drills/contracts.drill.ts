/**
 * M1: fuzz and invariants of the contracts, and small changes of them that a test has to notice, by the commands that
 * do it. `DRILL_SELF_TEST=1` runs fuzz and invariants over a contract that counts a session twice; they have to fail.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { replaceOnce } from "../injected/replace-once.ts";
import { makeSandbox, type SuiteResult } from "../mutate/sandbox.ts";
import { IS_SELF_TEST, printFigures, scaleCount } from "./support/drill.ts";

/** Few runs would leave out actions by chance. */
const INVARIANT_RUNS = Math.max(16, scaleCount(64));
/** Every tenth change in a full run: `npm run lab -- mutate` tries all, in half an hour, and writes docs/mutation.md. */
const MUTANTS_EVERY = Math.round(1_000 / scaleCount(100));
/** Of all changes. */
const KILLED_MIN_PERCENT = 95;
const BLOCK_GAS_LIMIT = 1_000_000_000;

/** The statement without which a session counts twice. */
const FAULT = {
  file: "contracts/RewardsV2.sol",
  statement: "if (bits & bit != 0) revert SessionAlreadyConsumed(wallet, gameSessionHash);",
} as const;

/** What a command of the repository prints with `--json`. */
async function run<T>(name: string, args: readonly string[]): Promise<{ readonly code: number; readonly json: T }> {
  const child = spawn(process.execPath, ["scripts/run.mjs", `lab/${name}`, ...args, "--json"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, "close");
  const line = output.trim().split("\n").at(-1) ?? "";
  expect(line, `the result of ${name}, which ended with ${code}`).to.match(/^\{/);
  return { code, json: JSON.parse(line) };
}

/** The same tests over contracts in which one statement is missing. */
async function testWithFault(): Promise<SuiteResult> {
  const source = readFileSync(join(root, FAULT.file), "utf8");
  const sandbox = makeSandbox(new Map([[FAULT.file, replaceOnce(source, FAULT.statement, "")]]));
  try {
    await sandbox.build();
    return await sandbox.runSolidity(BLOCK_GAS_LIMIT);
  } finally {
    sandbox.remove();
  }
}

describe("M1: fuzz, invariants and changes of the contracts", function () {
  this.timeout(3_600_000);

  if (IS_SELF_TEST) {
    it("a test notices that a session counts twice", async () => {
      // Contracts that do not compile, or a run without an end, find nothing.
      const { reason } = await testWithFault().catch((error: Error) => ({ reason: error.message }));
      console.log(`      ${reason}`);
      // A self-test succeeds by failing.
      if (/^(test|invariant)\w+$/.test(reason)) throw new Error(`${reason} fails`);
    });
    return;
  }

  it("fuzz tests pass, and every invariant holds in runs that did what it is about", async () => {
    interface Result {
      readonly ok: boolean;
      readonly actions: readonly { readonly action: string; readonly mean: number }[];
    }
    const { code, json } = await run<Result>("solidity-tests", ["--runs", String(INVARIANT_RUNS)]);
    printFigures({
      "runs of each invariant": INVARIANT_RUNS,
      ...Object.fromEntries(json.actions.map(({ action, mean }) => [action, `${mean.toFixed(1)} a run`])),
    });
    expect({ code, ok: json.ok }).to.deep.equal({ code: 0, ok: true });
    expect(json.actions).to.have.length.greaterThan(0);
  });

  it("a test notices each change of a sample, or the change is explained", async () => {
    interface Result {
      readonly total: number;
      readonly killed: number;
      readonly unexplained: readonly string[];
    }
    const { code, json } = await run<Result>("mutate", ["--every", String(MUTANTS_EVERY)]);
    const { total, killed, unexplained } = json;
    printFigures({ changes: total, noticed: killed, "not explained": unexplained.length });
    expect(unexplained).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(total).to.be.greaterThan(0);
  });

  it("the tests noticed enough of all changes in the last whole run", () => {
    const document = readFileSync(join(root, "docs/mutation.md"), "utf8");
    const [, killed, total, percent] = /\*\*(\d+) of (\d+) killed: ([\d.]+) %/.exec(document)!;
    printFigures({ "the last whole run": `${killed} of ${total} noticed, ${percent} %` });
    expect(Number(percent)).to.be.at.least(KILLED_MIN_PERCENT);
  });
});
