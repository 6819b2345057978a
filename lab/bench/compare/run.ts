/** Runs a benchmark's rows one after another. A row that is void or fails has no figure and does not end the run. */
import { toMessage } from "../../../scripts/cli/failures.ts";
import { findIdle, measureRow, VoidRowError } from "./compare.ts";
import { formatMachine, type Machine, readMachine } from "./machine.ts";
import { formatBars, formatRow, ROW_HEADER } from "./print.ts";
import type { Benchmark, Options, RowResult } from "./types.ts";

/** The data of a run, as `--json` prints it and `--write` stores it. */
export interface BenchmarkRun {
  readonly name: string;
  /** ISO date and time. */
  readonly measuredAt: string;
  /** With the load before the run. */
  readonly machine: Machine;
  readonly loadAfter: number;
  readonly seconds: number;
  readonly rows: readonly RowResult[];
  /** Why rows have no figure; empty when all is well. */
  readonly voidRows: readonly string[];
}

type Print = (line: string) => void;

export async function runBenchmark(
  name: string,
  benchmark: Benchmark,
  options: Options,
  print: Print,
): Promise<BenchmarkRun> {
  const startedMs = performance.now();
  const measuredAt = new Date().toISOString();
  const machine = readMachine();
  const [rows, voidRows]: [RowResult[], string[]] = [[], []];
  print(`${name}: ${formatMachine(machine)}\n\n${ROW_HEADER}`);
  for await (const row of benchmark.rows(options)) {
    try {
      const result = await measureRow(row);
      rows.push(result);
      print(formatRow(result));
    } catch (error) {
      const reason = error instanceof VoidRowError ? error.message : `${row.id} ${row.what}: void, ${toMessage(error)}`;
      voidRows.push(reason);
      print(reason);
    }
  }
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const loadAfter = readMachine().load;
  print(`\n${rows.map(formatBars).filter(Boolean).join("\n")}\nload at the end ${loadAfter}, took ${seconds} s\n`);
  return { name, measuredAt, machine, loadAfter, seconds, rows, voidRows };
}

/** Throws if an idle side of the benchmark is not found. */
export async function testBenchmark(name: string, benchmark: Benchmark, print: Print): Promise<void> {
  for await (const row of benchmark.rows({ isQuick: true })) {
    const missing = await findIdle(row);
    print(`${name}, ${row.id} ${row.what}: the idle side was found: ${missing}`);
  }
}
