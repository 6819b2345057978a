/** `npm run lab -- simulate`: runs of the service on simulated time, everything drawn from a seed. */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineCommand, parseCount } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { openOutputFile } from "../scripts/cli/user-paths.ts";
import { SIMULATED_FAULTS } from "./injected/faults.ts";
import { inject } from "./injected/inject.ts";
import { installPackages } from "./install-packages.ts";
import { type Failure, toRunsPerMinute } from "./simulate/batch.ts";
import { ALL, checkCombination, QUICK, toNames } from "./simulate/combination.ts";
import { QUICKLY_FOUND, type QuickResult, searchInjected, searchQuickly } from "./simulate/injected-search.ts";
import type { SimulatedVerdict } from "./simulate/mutants/run-mutants.ts";
import { runInProcesses } from "./simulate/processes.ts";
import type { Coverage } from "./simulate/run/coverage.ts";
import { writeBatch, writeInjected } from "./simulate/stored-runs.ts";

const RUNS = 1_000;
const RUNS_MAX = 100_000_000;
const SECONDS_MAX = 86_400;
const PROCESSES_MAX = 256;
const MUTANTS_MAX = 100_000;
const TRACE_LINES = 200;

interface Options {
  readonly seed: number;
  readonly runs: number;
  readonly secondsMax: number | null;
  readonly processes: number;
  readonly isWritten: boolean;
  readonly isSteered: boolean;
}

type Texts = { readonly [name in "seed" | "runs" | "seconds" | "processes"]?: string };

const readOptions = (flags: Texts & { readonly write?: boolean; readonly steer?: boolean }): Options => ({
  seed: parseCount("seed", flags.seed, 1, 999_999_999),
  runs: parseCount("runs", flags.runs, RUNS, RUNS_MAX),
  secondsMax: flags.seconds === undefined ? null : parseCount("seconds", flags.seconds, 1, SECONDS_MAX),
  processes: parseCount("processes", flags.processes, availableParallelism(), PROCESSES_MAX),
  isWritten: flags.write === true,
  isSteered: flags.steer === true,
});

const toCommandLine = (flags: readonly (readonly [string, number | string | null])[]): string =>
  `npm run lab -- simulate ${flags.flatMap(([name, value]) => (value === null ? [] : [`--${name} ${value}`])).join(" ")}`;

/** The simplest run that still breaks the invariant, and its trace. */
async function report({ seed, violation, plan }: Failure, terminal: Terminal): Promise<void> {
  const { shrink } = await import("./simulate/shrink.ts");
  const { Simulator } = await import("./simulate/run/simulator.ts");
  const { result, behavior, backends, ...needed } = await shrink(await Simulator.create(), { seed, violation, plan });
  const names = Object.entries(behavior).flatMap(([name, isOn]) => (isOn ? [name] : []));
  terminal.print(`Seed ${seed}: ${violation?.message}`);
  terminal.print(`Faults that are needed: ${JSON.stringify(needed.plan)}`);
  terminal.print(
    `Behavior of the agents: ${names.join(", ") || "none"}; backends: ${backends ?? "drawn from the seed"}`,
  );
  for (const { text } of result.trace.slice(-TRACE_LINES)) terminal.print(`  ${text.slice(0, 200)}`);
}

const EXERCISED = {
  check: "invariants",
  state: "states",
  transition: "transitions",
  fault: "faults that hit",
} as const;
const RAREST = 3;

/** How often each kind was exercised, rarest first. */
function describeCoverage(coverage: Coverage, runs: number): readonly string[] {
  return Object.entries(EXERCISED).map(([what, title]) => {
    const found = Object.entries(coverage).filter(([name]) => name.startsWith(`${what} `));
    const times = found.reduce((sum, [, occurrences]) => sum + occurrences.times, 0);
    const rarest = found.sort(([, a], [, b]) => a.runs - b.runs || a.times - b.times).slice(0, RAREST);
    const texts = rarest.map(([name, one]) => `${name.slice(what.length + 1)} in ${one.runs}`);
    return `  ${found.length} ${title}, ${times} times; rarest of ${runs} runs: ${texts.join("; ")}`;
  });
}

/** Writes the timeline of one run. */
async function writeTracePage(seed: number, path: string, terminal: Terminal): Promise<number> {
  const { Simulator } = await import("./simulate/run/simulator.ts");
  const { renderTracePage } = await import("./simulate/trace-page.ts");
  const result = await (await Simulator.create()).run({ seed, isTraceKept: true });
  writeFileSync(path, renderTracePage(result));
  terminal.print(`wrote ${path}: ${result.violation?.message ?? "no invariant broken"}`);
  terminal.printJson({ seed, path, violation: result.violation });
  return result.violation === null ? EXIT.ok : EXIT.error;
}

async function runMany(options: Options, injected: string | null, terminal: Terminal): Promise<number> {
  const { seed, runs, processes } = options;
  const startedMs = performance.now();
  const request = { ...options, isDescending: false, stopsAtFailure: injected !== null, injected };
  const result = await runInProcesses(injected === null ? request : { ...request, processes: 1 });
  const seconds = (performance.now() - startedMs) / 1000;
  const { digests: _, ...told } = result;
  terminal.printJson({ seed, ...told, seconds, runsPerCpuMinute: toRunsPerMinute(result) });
  const [failure] = result.failures;
  if (failure !== undefined && !terminal.json) {
    if (injected !== null) inject([injected]);
    await report(failure, terminal);
  }
  const found = failure === undefined ? "no invariant broken" : `broken first in seed ${failure.seed}`;
  const minutes = (result.simulatedMs / 60_000).toFixed(0);
  const speed = `${toRunsPerMinute(result).toFixed(0)} a minute of CPU`;
  terminal.print(
    `${result.runs} runs from seed ${seed} on (${minutes} simulated minutes) in ${seconds.toFixed(1)} s, ${speed}: ${found}`,
  );
  for (const line of describeCoverage(result.coverage, result.runs)) terminal.print(line);
  if (options.isWritten && failure === undefined) {
    const command = toCommandLine(Object.entries({ seed, runs, seconds: options.secondsMax, processes }));
    terminal.print(`wrote ${writeBatch(command, { ...result, seed, seconds, processes })}`);
  }
  return (failure === undefined) === (injected === null) ? EXIT.ok : EXIT.error;
}

/** Every seed twice, in other processes and in reverse order: a run that leaves state behind would change the next. */
async function runTwice(options: Options, terminal: Terminal): Promise<number> {
  const request = { ...options, stopsAtFailure: false, injected: null };
  const first = await runInProcesses({ ...request, isDescending: false });
  const second = await runInProcesses({ ...request, isDescending: true, secondsMax: null, runs: first.runs });
  const different = first.digests.flatMap((digest, index) =>
    digest === second.digests[index] ? [] : [options.seed + index],
  );
  terminal.printJson({ seed: options.seed, runs: first.runs, different });
  terminal.print(`${first.runs - different.length} of ${first.runs} seeds gave the same trace twice`);
  for (const seed of different.slice(0, 10)) terminal.print(`  not seed ${seed}`);
  for (const { seed, violation } of first.failures) terminal.print(`Seed ${seed}: ${violation?.message}`);
  return different.length + first.failures.length === 0 ? EXIT.ok : EXIT.error;
}

async function searchAll(options: Options, injected: string, terminal: Terminal): Promise<number> {
  const { seed, runs, secondsMax, processes } = options;
  const names = toNames(injected);
  const rows = await searchInjected(names, { seed, runsMax: runs, secondsMax, processes }, ({ name, searches }) => {
    const told = searches.map(({ isFound, runs: count }) => (isFound ? `${count}` : `not in ${count}`));
    terminal.print(`${name}: ${told.join(", ")}`);
  });
  terminal.printJson(rows);
  if (options.isWritten) {
    const command = toCommandLine(Object.entries({ injected, seed, runs, seconds: secondsMax, processes }));
    terminal.print(`wrote ${writeInjected(command, rows)}`);
  }
  return rows.every(({ searches }) => searches.some(({ isFound }) => isFound)) ? EXIT.ok : EXIT.error;
}

function describe({ name, runs, failure, isRepeated }: QuickResult): string {
  if (failure === null) return `${name}: NOT FOUND in ${runs} runs`;
  const again = isRepeated ? "" : ", NOT THE SAME when it runs again";
  return `${name}: run ${runs} (seed ${failure.seed}), ${failure.violation?.invariant}${again}`;
}

async function searchFew({ seed, runs, processes }: Options, terminal: Terminal): Promise<number> {
  const results = await searchQuickly({ seed, runsMax: runs, processes }, (result) => terminal.print(describe(result)));
  terminal.printJson(results);
  const passed = results.filter(({ isRepeated }) => isRepeated).length;
  terminal.print(`${passed} passed, ${results.length - passed} failed`);
  return passed === results.length ? EXIT.ok : EXIT.error;
}

/** Succeeds if at least one mutant is killed: a simulation that finds none is useless. */
async function runMutants(
  { seed, runs, processes, secondsMax, isWritten }: Options,
  sample: number,
  terminal: Terminal,
) {
  installPackages(terminal);
  const { simulateMutants } = await import("./simulate/mutants/run-mutants.ts");
  const { writePage } = await import("./simulate/mutants/page.ts");
  const { sum } = await import("./mutate-ts/results.ts");
  const verdicts: SimulatedVerdict[] = [];
  const untilMs = Date.now() + 1_000 * (secondsMax ?? SECONDS_MAX);
  await simulateMutants({ sample, seed, runs, processes, untilMs }, terminal.print, (verdict) => {
    verdicts.push(verdict);
    terminal.print(`${verdict.isKilled ? "killed" : "ALIVE"} line ${verdict.line} ${verdict.key}: ${verdict.by}`);
  });
  const command = toCommandLine(Object.entries({ mutants: sample, seed, runs, seconds: secondsMax }));
  if (isWritten) writePage(`${command} --write`, verdicts);
  const { killed, total } = sum(verdicts);
  terminal.print(`${killed} of ${total} mutants killed`);
  terminal.printJson({ killed, total });
  return killed > 0 || total === 0 ? EXIT.ok : EXIT.error;
}

export const command = defineCommand({
  name: "lab simulate",
  summary: "runs of the service on simulated time, with faults drawn from a seed",
  flags: {
    runs: { type: "string", value: "N", help: "how many runs", default: String(RUNS) },
    seed: {
      type: "string",
      value: "S",
      help: "the seed of the first run; later runs use the next numbers",
      default: "1",
    },
    seconds: { type: "string", value: "N", help: "starts no run after this time" },
    processes: { type: "string", value: "N", help: "how many run in parallel; by default one per core" },
    injected: {
      type: "string",
      value: "NAME",
      help: `remove a safeguard; succeeds if a run finds the fault. \`NAME,NAME\` or \`${ALL}\`: three searches for each. \`${QUICK}\`: one search for each quickly found fault; the run that finds it is repeated`,
    },
    steer: {
      type: "boolean",
      help: "each run has one of the next eight seeds: the one whose draws led to what the batch has rarely exercised",
    },
    twice: { type: "boolean", help: "run each seed twice, and compare the traces" },
    page: { type: "string", value: "FILE", help: "writes the timeline of the run of --seed as one HTML file" },
    mutants: {
      type: "string",
      value: "N",
      help: "simulate N small changes of the service, and report those that break no invariant",
    },
    write: {
      type: "boolean",
      help: "stores the results in dist/simulation/ and docs/reliability.md; those of mutants in docs/mutation-simulation.md",
    },
  },
  examples: [
    "npm run lab -- simulate",
    "npm run lab -- simulate --runs 1 --seed 4711",
    "npm run lab -- simulate --seed 500000001 --page run.html",
    "npm run lab -- simulate --twice",
    "npm run lab -- simulate --injected orphans-kept",
    "npm run lab -- simulate --injected quick --seed 1000000 --runs 100",
    "npm run lab -- simulate --mutants 300 --runs 250 --write",
    "npm run lab -- simulate --injected all --seconds 20 --write",
  ],
  notes: [
    `Injected faults: ${Object.keys(SIMULATED_FAULTS).join(", ")}.`,
    `Quickly found: ${QUICKLY_FOUND.join(", ")}.`,
  ],
  async run({ flags }, terminal) {
    checkCombination(flags);
    const options = readOptions(flags);
    if (flags.twice === true) return await runTwice(options, terminal);
    if (flags.page !== undefined)
      return await writeTracePage(options.seed, openOutputFile("page", flags.page), terminal);
    if (flags.mutants !== undefined)
      return await runMutants(options, parseCount("mutants", flags.mutants, 0, MUTANTS_MAX), terminal);
    const { injected } = flags;
    if (injected === QUICK) return await searchFew(options, terminal);
    if (injected !== undefined && (options.isWritten || toNames(injected).length > 1))
      return await searchAll(options, injected, terminal);
    return await runMany(options, injected ?? null, terminal);
  },
});
