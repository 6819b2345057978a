/** A copy of the repository whose contracts hold all mutants, compiled once. */

import { spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { getEnvironment } from "../../backend/config/environment.ts";
import { root } from "../../scripts/start/build.ts";

const HARDHAT = "node_modules/hardhat/dist/src/cli.js";
const COPIED = [
  "contracts",
  "test/contracts",
  "test/solidity",
  "backend",
  "domain",
  "games",
  "local-chain",
  "deploy",
  "hardhat.config.ts",
  "package.json",
  "tsconfig.json",
];

/**
 * These check the code itself, its size, its gas or its sources, which the switches change; they do not check the
 * behavior of the contracts.
 */
const EXCLUDED = /gas|artifacts|warnings|coverage|two-nodes/;

/** The gas limit names the mutant; code and gas have no other bounds, since the switches add much code. */
const CONFIG = `import { getEnvironment } from "./backend/config/environment.ts";
import base from "./base.config.ts";
const blockGasLimit = Number(getEnvironment().MUTANT_GAS_LIMIT ?? 1_000_000_000);
const compilers = base.solidity.profiles.default.compilers.map((compiler) => ({
  ...compiler,
  settings: { ...compiler.settings, optimizer: { enabled: true, runs: 1 } },
}));
export default {
  ...base,
  solidity: { profiles: { default: { compilers }, production: { compilers } } },
  test: {
    mocha: { bail: true, timeout: 40_000, reporter: "json" },
    solidity: { ...base.test.solidity, blockGasLimit, gasLimit: 900_000_000n, transactionGasCap: false },
  },
  networks: {
    default: {
      ...base.networks.default,
      blockGasLimit,
      allowUnlimitedContractSize: true,
      transactionGasCap: false,
    },
  },
};
`;

export interface SuiteResult {
  readonly passed: boolean;
  /** The first test that failed, or what else ended the run. */
  readonly reason: string;
  /** The file that contains it, where it is a suite of TypeScript. */
  readonly suite?: string;
}

export interface Sandbox {
  /** Test files of TypeScript, relative to the workplace. */
  readonly suites: readonly string[];
  build(): Promise<void>;
  /** Runs suites of TypeScript until the first failure with the gas limit that names a mutant. */
  runSuites(gasLimit: number, suites: readonly string[]): Promise<SuiteResult>;
  /** The same with the fuzz and invariant tests in Solidity. */
  runSolidity(gasLimit: number): Promise<SuiteResult>;
  remove(): void;
}

const TEST_TIMEOUT_MS = 300_000;
/** The compiler takes minutes over the text of all mutants. */
const BUILD_TIMEOUT_MS = 1_800_000;

/** The first test that failed, out of mocha's JSON reporter. */
function parseFirstFailure(output: string): Pick<SuiteResult, "reason" | "suite"> {
  try {
    const report = JSON.parse(output.slice(output.indexOf("{\n"), output.lastIndexOf("}") + 1)) as {
      failures: readonly { fullTitle: string; file?: string }[];
    };
    const [failure] = report.failures;
    if (failure !== undefined) {
      return { reason: failure.fullTitle, suite: `test/contracts/${basename(failure.file ?? "")}` };
    }
  } catch {
    // The run ended before its report; the last lines of its output say why.
  }
  return { reason: output.trim().split("\n").at(-1) ?? "" };
}

const parseFirstSolidityFailure = (output: string): Pick<SuiteResult, "reason"> => ({
  reason: /^\s*1\) (\w+)/m.exec(output)?.[1] ?? output.trim().split("\n").at(-1) ?? "",
});

export function makeSandbox(sources: ReadonlyMap<string, string>): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), "arcade-mutate-"));
  for (const path of COPIED) cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  renameSync(join(folder, "hardhat.config.ts"), join(folder, "base.config.ts"));
  writeFileSync(join(folder, "hardhat.config.ts"), CONFIG);
  for (const [file, content] of sources) writeFileSync(join(folder, file), content);
  // A function that reads which mutant is active is not pure, and neither is any function that calls it.
  for (const file of globSync("{contracts/interfaces,test/solidity}/**/*.sol", { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(/\bpure\b/g, "view"));
  }
  const suites = globSync("test/contracts/**/*.test.ts", { cwd: folder })
    .filter((file) => !EXCLUDED.test(file))
    .sort();

  type Read = (output: string) => Pick<SuiteResult, "reason" | "suite">;
  function run(
    args: readonly string[],
    gasLimit: number,
    parseFailure: Read,
    timeoutMs = TEST_TIMEOUT_MS,
  ): Promise<SuiteResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(folder, HARDHAT), ...args], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...getEnvironment(), MUTANT_GAS_LIMIT: String(gasLimit), NO_COLOR: "1", FORCE_COLOR: "0" },
      });
      let output = "";
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        child.kill("SIGKILL");
      }, timeoutMs);
      const collectOutput = (chunk: Buffer): void => {
        output += chunk.toString();
      };
      child.stdout.on("data", collectOutput);
      child.stderr.on("data", collectOutput);
      child.on("error", reject);
      child.on("close", (code) => {
        clearTimeout(timer);
        if (code === 0) resolve({ passed: true, reason: "" });
        else resolve({ passed: false, ...(timedOut ? { reason: "does not end" } : parseFailure(output)) });
      });
    });
  }

  return {
    suites,
    build: async () => {
      const readReason: Read = (output) => ({ reason: output.slice(-3000) });
      const outcome = await run(["build", "--quiet"], 0, readReason, BUILD_TIMEOUT_MS);
      if (!outcome.passed) throw new Error(`The mutants do not compile: ${outcome.reason}`);
    },
    runSuites: (gasLimit, files) => run(["test", "mocha", "--no-compile", ...files], gasLimit, parseFirstFailure),
    runSolidity: (gasLimit) => run(["test", "solidity", "--no-compile"], gasLimit, parseFirstSolidityFailure),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
