/** A copy of the repository whose contracts hold all mutants, compiled once. */
import { spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../start/build.ts";

const HARDHAT = "node_modules/hardhat/dist/src/cli.js";
const COPIED = [
  "contracts",
  "test/contracts",
  "backend",
  "deploy",
  "hardhat.config.ts",
  "package.json",
  "tsconfig.json",
];

/**
 * What these look at is the code itself, its size, its gas or its sources, which the switches change; they say nothing
 * of what the contracts do.
 */
const EXCLUDED = /gas|artifacts|warnings|coverage|two-nodes/;

/** The gas limit names the mutant; code and gas have no other bounds, since the switches weigh a lot. */
const CONFIG = `import base from "./base.config.ts";
const blockGasLimit = Number(process.env.MUTANT_GAS_LIMIT ?? 1_000_000_000);
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

export interface Outcome {
  readonly passed: boolean;
  /** The first test that failed, or what else ended the run. */
  readonly reason: string;
  /** The file it stands in, where it is a suite of TypeScript. */
  readonly suite?: string;
}

export interface Workplace {
  /** Test files of TypeScript, relative to the workplace. */
  readonly suites: readonly string[];
  build(): Promise<void>;
  /** Runs suites of TypeScript until the first failure with the gas limit that names a mutant. */
  runSuites(gasLimit: number, suites: readonly string[]): Promise<Outcome>;
  /** The same with the fuzz and invariant tests in Solidity. */
  runSolidity(gasLimit: number): Promise<Outcome>;
  remove(): void;
}

const TIMEOUT_MS = 300_000;

/** The first test that failed, out of mocha's JSON reporter. */
function firstFailure(words: string): Pick<Outcome, "reason" | "suite"> {
  try {
    const report = JSON.parse(words.slice(words.indexOf("{\n"), words.lastIndexOf("}") + 1)) as {
      failures: readonly { fullTitle: string; file?: string }[];
    };
    const [failure] = report.failures;
    if (failure !== undefined) {
      return { reason: failure.fullTitle, suite: `test/contracts/${basename(failure.file ?? "")}` };
    }
  } catch {
    // The run ended before its report; the last words say why.
  }
  return { reason: words.trim().split("\n").at(-1) ?? "" };
}

const firstSolidityFailure = (words: string): Pick<Outcome, "reason"> => ({
  reason: /^\s*1\) (\w+)/m.exec(words)?.[1] ?? words.trim().split("\n").at(-1) ?? "",
});

export function makeWorkplace(sources: ReadonlyMap<string, string>): Workplace {
  const folder = mkdtempSync(join(tmpdir(), "arcade-mutate-"));
  for (const path of COPIED) cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  renameSync(join(folder, "hardhat.config.ts"), join(folder, "base.config.ts"));
  writeFileSync(join(folder, "hardhat.config.ts"), CONFIG);
  for (const [file, content] of sources) writeFileSync(join(folder, file), content);
  // What asks which mutant is alive is not pure, and so is nothing that calls it.
  for (const file of globSync("contracts/{interfaces,test}/**/*.sol", { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(/\bpure\b/g, "view"));
  }
  const suites = globSync("test/contracts/*.test.ts", { cwd: folder })
    .filter((file) => !EXCLUDED.test(file))
    .sort();

  type Read = (words: string) => Pick<Outcome, "reason" | "suite">;
  function run(args: readonly string[], gasLimit: number, read: Read): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(folder, HARDHAT), ...args], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, MUTANT_GAS_LIMIT: String(gasLimit), NO_COLOR: "1", FORCE_COLOR: "0" },
      });
      let [words, timedOut] = ["", false];
      const timer = setTimeout(() => {
        timedOut = true;
        child.kill("SIGKILL");
      }, TIMEOUT_MS);
      const hear = (chunk: Buffer): void => {
        words += chunk.toString();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("error", reject);
      child.on("close", (code) => {
        clearTimeout(timer);
        if (code === 0) resolve({ passed: true, reason: "" });
        else resolve({ passed: false, ...(timedOut ? { reason: "does not end" } : read(words)) });
      });
    });
  }

  return {
    suites,
    build: async () => {
      const outcome = await run(["build", "--quiet"], 0, (words) => ({ reason: words.slice(-3000) }));
      if (!outcome.passed) throw new Error(`The mutants do not compile: ${outcome.reason}`);
    },
    runSuites: (gasLimit, files) => run(["test", "mocha", "--no-compile", ...files], gasLimit, firstFailure),
    runSolidity: (gasLimit) => run(["test", "solidity", "--no-compile"], gasLimit, firstSolidityFailure),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
