/** `npm test`: everything a change must pass, as two processes side by side, with one final line of counts. */
import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getEnvironment } from "../../backend/config/environment.ts";
import { listMissingPrograms } from "../../test/helpers/postgres-programs.ts";
import { defineCommand } from "../cli/command.ts";
import { EXIT, UsageError } from "../cli/failures.ts";
import type { Terminal } from "../cli/terminal.ts";
import { compileContracts, root } from "../start/build.ts";
import { isSuite, SUITES } from "./suites.ts";

interface LaneResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
}

const HARDHAT = "node_modules/hardhat/dist/src/cli.js";
/** Compiled and type-stripped modules, shared by the processes of a run. */
const COMPILE_CACHE = join(root, "node_modules/.cache/node");
const MOCHA = "node_modules/mocha/bin/mocha.js";
/** Property tests use the same examples in every run. */
const FIXED_EXAMPLES = fileURLToPath(import.meta.resolve("../../test/helpers/fixed-examples.ts"));
const FILE_SECONDS = fileURLToPath(import.meta.resolve("../../test/helpers/file-seconds.ts"));
const CAN_FAIL = fileURLToPath(import.meta.resolve("../../test/helpers/can-fail.ts"));
/** Ends a test that hangs. A slow machine can need most of it, so a test that takes longer has its own. */
const TIMEOUT_MS = 300_000;
/** How many of the slowest files to print. */
const SLOWEST = 10;

/** The last number before a word in a runner's own summary, summed over its lines. */
const sumMatches = (output: string, pattern: RegExp): number =>
  [...output.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);

/** What mocha prints if a native crash ended one of its processes. */
const NATIVE_FAULT = /Worker terminated Unexpectedly[\s\S]*?signalCode: `(SIGABRT|SIGSEGV|SIGBUS|SIGILL|SIGTRAP)`/;

/** The rows of dots, one for each test, hide a failure between them. */
const removeProgress = (output: string): string => output.replace(/^ *[.!,]+ *$\n/gm, "").replace(/\n{3,}/g, "\n\n");

interface Run {
  readonly code: number | null;
  readonly output: string;
}

function runOnce(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...getEnvironment(),
        FORCE_COLOR: "0",
        ARCADE_LOG_LEVEL: "silent",
        ARCADE_DEMO_AGENTS: "off",
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...env,
      },
    });
    let output = "";
    const collect = (chunk: unknown): void => {
      output += chunk;
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

async function runLane(
  name: string,
  args: readonly string[],
  terminal: Terminal,
  env: Readonly<Record<string, string>> = {},
): Promise<LaneResult> {
  const startedMs = performance.now();
  let run = await runOnce(args, env);
  const signal = NATIVE_FAULT.exec(run.output)?.[1];
  if (signal !== undefined) {
    // No test causes a native crash, so only a second one in a row counts.
    terminal.print(`note: native code ended a process of the tests (${signal}), so they ran again`);
    run = await runOnce(args, env);
  }
  const { code, output } = run;
  const passed = sumMatches(output, /^\s*(\d+) passing\b/gm);
  const reported = sumMatches(output, /^\s*(\d+) failing\b/gm);
  // A runner that dies or runs nothing is a failure too.
  const failed = reported === 0 && (code !== 0 || passed === 0) ? 1 : reported;
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  for (const note of output.match(/^note: .*$/gm) ?? []) terminal.print(note);
  if (failed > 0) terminal.print(`\n${removeProgress(output).trim()}\n`);
  terminal.print(`${failed === 0 ? "ok  " : "FAIL"} ${name}: ${passed} passed, ${failed} failed (${seconds} s)`);
  return { name, passed, failed, seconds };
}

async function runContracts(terminal: Terminal): Promise<LaneResult> {
  await compileContracts(() => terminal.print("compiling the contracts, about a minute …"));
  return runLane("contracts", [HARDHAT, "test", "mocha", "--no-compile"], terminal);
}

/** Prints the slowest files of a run and deletes the list. */
function printSlowest(path: string, terminal: Terminal): void {
  if (!existsSync(path)) return;
  const lines = readFileSync(path, "utf8").trim().split("\n");
  rmSync(path);
  if (lines.length <= SLOWEST) return;
  const files = lines.map((line) => ({ seconds: Number.parseFloat(line), file: line.slice(line.indexOf(" ") + 1) }));
  terminal.print("slowest files:");
  for (const { seconds, file } of files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
    terminal.print(`${seconds.toFixed(1).padStart(6)} s  ${file}`);
}

const listFiles = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((file) => join(root, file));

/** A test file, or all `*.test.ts` of a folder. */
const listTests = (path: string): readonly string[] =>
  statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ? listFiles(`${path}/**/*.test.ts`) : [path];

/** The files of a suite. Throws `UsageError` for an unknown suite. */
function listSuite(name: string | undefined): readonly string[] {
  if (name === undefined) return [];
  if (!isSuite(name)) throw new UsageError(`--suite: expected ${Object.keys(SUITES).join(", ")}, received "${name}"`);
  return SUITES[name].flatMap(listFiles);
}

export const command = defineCommand({
  name: "test",
  summary: "runs all tests that a change must pass, the given files, or a suite of longer ones",
  args: { files: { value: "FILE", help: "test files; all when left out", count: "any" } },
  flags: {
    grep: { type: "string", value: "TEXT", help: "only tests whose title contains TEXT" },
    suite: { type: "string", value: "NAME", help: `longer tests: ${Object.keys(SUITES).join(", ")}` },
  },
  examples: [
    "npm test",
    "npm test -- --suite deploy",
    'npm test -- test/config/config.test.ts --grep "reports every error"',
  ],
  async run({ flags, args }, terminal) {
    const chosen = [...args.files, ...listSuite(flags.suite)];
    const isSelection = chosen.length > 0 || flags.grep !== undefined;
    const all = listFiles("test/**/*.test.ts").filter((file) => !file.includes(join("test", "contracts")));
    const suites = chosen.length > 0 ? chosen.flatMap(listTests) : all;
    terminal.print(`running ${suites.length} files of tests …`);
    const options = [
      ...["--parallel", "--jobs", "3", "--timeout", String(TIMEOUT_MS), "--reporter", "dot"],
      ...["--require", FIXED_EXAMPLES, "--require", FILE_SECONDS, "--require", CAN_FAIL],
    ];
    const secondsFile = join(tmpdir(), `arcade-test-seconds-${process.pid}`);
    const grep = flags.grep === undefined ? [] : ["--fgrep", flags.grep];
    const env = { TEST_SECONDS_FILE: secondsFile, ...(isSelection ? {} : { TEST_SERVERS: "off" }) };
    const mocha = runLane("service", [MOCHA, ...options, ...grep, ...suites], terminal, env);
    const lanes = isSelection ? [mocha] : [mocha, runContracts(terminal)];
    const outcomes = await Promise.all(lanes);
    printSlowest(secondsFile, terminal);
    const missing = listMissingPrograms().join(" ");
    if (!isSelection) terminal.print("skipped: the store's tests on PostgreSQL (npm test -- --suite postgres)");
    else if (missing !== "")
      terminal.print(`skipped: tests that need programs which are not installed (apt-get install ${missing})`);
    const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
    const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
    terminal.print(`${passed} passed, ${failed} failed`);
    terminal.printJson({ ok: failed === 0, passed, failed, lanes: outcomes });
    return failed === 0 ? EXIT.ok : EXIT.error;
  },
});
