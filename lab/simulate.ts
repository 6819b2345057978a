/** `npm run lab -- simulate`: lives of the service on simulated time, everything drawn from a seed. */
import { availableParallelism } from "node:os";
import { defineCommand, parseCount } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { SIMULATED_FAULTS } from "./injected/faults.ts";
import { inject } from "./injected/inject.ts";
import { QUICKLY_FOUND, type QuickResult, searchInjected, searchQuickly } from "./simulate/injected-search.ts";
import { type Failure, toLivesPerMinute } from "./simulate/lives.ts";
import { runInProcesses } from "./simulate/processes.ts";
import { writeInjected, writeLives } from "./simulate/stored-runs.ts";

const LIVES = 1_000;
const LIVES_MAX = 100_000_000;
const SECONDS_MAX = 86_400;
const PROCESSES_MAX = 256;
const TRACE_LINES = 200;
const ALL = "all";
const QUICK = "quick";

interface Options {
  readonly seed: number;
  readonly lives: number;
  readonly secondsMax: number | null;
  readonly processes: number;
  readonly isWritten: boolean;
}

type Texts = { readonly [name in "seed" | "lives" | "seconds" | "processes"]?: string };

const readOptions = (flags: Texts & { readonly write?: boolean }): Options => ({
  seed: parseCount("seed", flags.seed, 1, 999_999_999),
  lives: parseCount("lives", flags.lives, LIVES, LIVES_MAX),
  secondsMax: flags.seconds === undefined ? null : parseCount("seconds", flags.seconds, 1, SECONDS_MAX),
  processes: parseCount("processes", flags.processes, availableParallelism(), PROCESSES_MAX),
  isWritten: flags.write === true,
});

const toCommandLine = (flags: readonly (readonly [string, number | string | null])[]): string =>
  `npm run lab -- simulate ${flags.flatMap(([name, value]) => (value === null ? [] : [`--${name} ${value}`])).join(" ")}`;

/** The simplest life that still breaks the invariant, and its trace. */
async function report({ seed, violation, plan }: Failure, terminal: Terminal): Promise<void> {
  const { shrink } = await import("./simulate/shrink.ts");
  const { Simulator } = await import("./simulate/life/simulator.ts");
  const { result, habits, backends, ...needed } = await shrink(await Simulator.create(), { seed, violation, plan });
  const names = Object.entries(habits).flatMap(([name, isOn]) => (isOn ? [name] : []));
  terminal.print(`Seed ${seed}: ${violation?.message}`);
  terminal.print(`Faults that are needed: ${JSON.stringify(needed.plan)}`);
  terminal.print(`Habits of the agents: ${names.join(", ") || "none"}; backends: ${backends ?? "drawn from the seed"}`);
  for (const line of result.trace.slice(-TRACE_LINES)) terminal.print(`  ${line.slice(0, 200)}`);
}

async function runMany(options: Options, injected: string | null, terminal: Terminal): Promise<number> {
  const { seed, lives, processes } = options;
  const startedMs = performance.now();
  const request = { ...options, isDescending: false, stopsAtFailure: injected !== null, injected };
  const result = await runInProcesses(injected === null ? request : { ...request, processes: 1 });
  const seconds = (performance.now() - startedMs) / 1000;
  const { digests: _, ...told } = result;
  terminal.printJson({ seed, ...told, seconds, livesPerCpuMinute: toLivesPerMinute(result) });
  const [failure] = result.failures;
  if (failure !== undefined && !terminal.json) {
    if (injected !== null) inject([injected]);
    await report(failure, terminal);
  }
  const found = failure === undefined ? "no invariant broken" : `broken first in seed ${failure.seed}`;
  const minutes = (result.simulatedMs / 60_000).toFixed(0);
  const speed = `${toLivesPerMinute(result).toFixed(0)} a minute of CPU`;
  terminal.print(
    `${result.lives} lives from seed ${seed} on (${minutes} simulated minutes) in ${seconds.toFixed(1)} s, ${speed}: ${found}`,
  );
  if (options.isWritten && failure === undefined) {
    const command = toCommandLine(Object.entries({ seed, lives, seconds: options.secondsMax, processes }));
    terminal.print(`wrote ${writeLives(command, { ...result, seed, seconds, processes })}`);
  }
  return (failure === undefined) === (injected === null) ? EXIT.ok : EXIT.error;
}

/** Every seed twice, in other processes and in the opposite order: what a life leaves behind would change the other one. */
async function runTwice(options: Options, terminal: Terminal): Promise<number> {
  const request = { ...options, stopsAtFailure: false, injected: null };
  const first = await runInProcesses({ ...request, isDescending: false });
  const second = await runInProcesses({ ...request, isDescending: true, secondsMax: null, lives: first.lives });
  const different = first.digests.flatMap((digest, index) =>
    digest === second.digests[index] ? [] : [options.seed + index],
  );
  terminal.printJson({ seed: options.seed, lives: first.lives, different });
  terminal.print(`${first.lives - different.length} of ${first.lives} seeds gave the same trace twice`);
  for (const seed of different.slice(0, 10)) terminal.print(`  not seed ${seed}`);
  for (const { seed, violation } of first.failures) terminal.print(`Seed ${seed}: ${violation?.message}`);
  return different.length + first.failures.length === 0 ? EXIT.ok : EXIT.error;
}

const toNames = (injected: string): readonly string[] =>
  injected === ALL ? Object.keys(SIMULATED_FAULTS) : injected.split(",");

async function searchAll(options: Options, injected: string, terminal: Terminal): Promise<number> {
  const { seed, lives, secondsMax, processes } = options;
  const names = toNames(injected);
  const rows = await searchInjected(names, { seed, livesMax: lives, secondsMax, processes }, ({ name, searches }) => {
    const told = searches.map(({ isFound, lives: count }) => (isFound ? `${count}` : `not in ${count}`));
    terminal.print(`${name}: ${told.join(", ")}`);
  });
  terminal.printJson(rows);
  if (options.isWritten) {
    const command = toCommandLine(Object.entries({ injected, seed, lives, seconds: secondsMax, processes }));
    terminal.print(`wrote ${writeInjected(command, rows)}`);
  }
  return rows.every(({ searches }) => searches.some(({ isFound }) => isFound)) ? EXIT.ok : EXIT.error;
}

function describe({ name, lives, failure, isRepeated }: QuickResult): string {
  if (failure === null) return `${name}: NOT FOUND in ${lives} lives`;
  const again = isRepeated ? "" : ", NOT THE SAME when the life is run again";
  return `${name}: life ${lives} (seed ${failure.seed}), ${failure.violation?.invariant}${again}`;
}

async function searchFew({ seed, lives, processes }: Options, terminal: Terminal): Promise<number> {
  const results = await searchQuickly({ seed, livesMax: lives, processes }, (result) =>
    terminal.print(describe(result)),
  );
  terminal.printJson(results);
  const passed = results.filter(({ isRepeated }) => isRepeated).length;
  terminal.print(`${passed} passed, ${results.length - passed} failed`);
  return passed === results.length ? EXIT.ok : EXIT.error;
}

function checkCombination(flags: {
  readonly twice?: boolean;
  readonly injected?: string;
  readonly seconds?: string;
  readonly write?: boolean;
}): void {
  const { twice = false, injected, seconds, write = false } = flags;
  const names = injected === undefined || injected === QUICK ? [] : toNames(injected);
  const unknown = names.find((name) => SIMULATED_FAULTS[name] === undefined);
  if (unknown !== undefined)
    throw new UsageError(
      `--injected: expected ${[ALL, QUICK, ...Object.keys(SIMULATED_FAULTS)].join(", ")}, received ${unknown}`,
    );
  if (injected === QUICK && seconds !== undefined) throw new UsageError(`--seconds: not with --injected ${QUICK}`);
  if (injected === QUICK && write) throw new UsageError(`--write: not with --injected ${QUICK}`);
  if (twice && (injected !== undefined || write)) throw new UsageError("--twice: not with --injected or --write");
}

export const command = defineCommand({
  name: "lab simulate",
  summary: "lives of the service on simulated time, with faults drawn from a seed",
  flags: {
    lives: { type: "string", value: "N", help: "how many lives", default: String(LIVES) },
    seed: { type: "string", value: "S", help: "the seed of the first life; the next ones follow it", default: "1" },
    seconds: { type: "string", value: "N", help: "no more lives begin after this time" },
    processes: { type: "string", value: "N", help: "how many run side by side; one for each core when left out" },
    injected: {
      type: "string",
      value: "NAME",
      help: `remove a safeguard; the run succeeds if a life finds it. \`NAME,NAME\` or \`${ALL}\`: three searches for each. \`${QUICK}\`: one for each that few lives find, whose life is run again`,
    },
    twice: { type: "boolean", help: "run each seed twice, and compare the traces" },
    write: { type: "boolean", help: "stores the run in dist/simulation/ and docs/reliability.md" },
  },
  examples: [
    "npm run lab -- simulate",
    "npm run lab -- simulate --lives 1 --seed 4711",
    "npm run lab -- simulate --twice",
    "npm run lab -- simulate --injected orphans-kept",
    "npm run lab -- simulate --injected quick --seed 1000000 --lives 100",
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
    const { injected } = flags;
    if (injected === QUICK) return await searchFew(options, terminal);
    if (injected !== undefined && (options.isWritten || toNames(injected).length > 1))
      return await searchAll(options, injected, terminal);
    return await runMany(options, injected ?? null, terminal);
  },
});
