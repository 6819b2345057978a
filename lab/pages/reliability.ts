/** The tables of docs/reliability.md. A batch of runs replaces its rows. The rest is written by hand. */

import { readBlock, replaceBlock } from "../../scripts/dev/docs/document-block.ts";
import { readTable, renderTable, type TableRow } from "../../scripts/dev/docs/table.ts";
import { formatMachine } from "../bench/compare/machine.ts";
import { getSpread } from "../bench/compare/statistics.ts";
import { SIMULATED_FAULTS } from "../injected/faults.ts";
import { toRunsPerMinute } from "../simulate/batch.ts";
import type { InjectedRow, InjectedRun, StoredBatch } from "../simulate/result-types.ts";

export const RELIABILITY_DOCUMENT = "docs/reliability.md";
const NOT_MEASURED = "not measured yet";

function replaceRows(
  text: string,
  { block, columns, rows }: { block: string; columns: readonly string[]; rows: readonly TableRow[] },
): string {
  const table = renderTable(
    columns,
    rows.map((row) => columns.map((column) => row[column] ?? "")),
  );
  return replaceBlock(text, block, [table]);
}

const readRows = (text: string, block: string): readonly TableRow[] => readTable(readBlock(text, block));

const toDay = (measuredAt: string): string => measuredAt.slice(0, 10);
const toHours = (ms: number): string => (ms / 3_600_000).toFixed(0);
const toSeeds = (seed: number, runs: number): string => `${seed} to ${seed + runs - 1}`;

const toBatchRow = (batch: StoredBatch): TableRow => ({
  "runs of the kind": batch.kind,
  seeds: toSeeds(batch.seed, batch.runs),
  "simulated hours": toHours(batch.simulatedMs),
  "invariants broken": "0",
  "time of the clock": `${Math.round(batch.seconds)} s, ${batch.processes === 1 ? "1 process" : `${batch.processes} processes`}`,
  "CPU for each run": `${(batch.cpuMs / batch.runs).toFixed(0)} ms`,
  "runs in a minute of CPU": `${Math.floor(toRunsPerMinute(batch))}`,
  "digest of all traces": `\`${batch.traces}\``,
  measured: `${toDay(batch.measuredAt)}: ${formatMachine(batch.machine)} at its end`,
});

const FAULT = "fault, and how often it was drawn";
const COVERED = "what happened: in how many runs (how often)";

export function addBatch(text: string, batch: StoredBatch): string {
  const row = toBatchRow(batch);
  const kept = readRows(text, "runs").filter((other) => other["runs of the kind"] !== batch.kind);
  const rows = [...kept, row].sort((a, b) => Number.parseInt(a.seeds!, 10) - Number.parseInt(b.seeds!, 10));
  const withBatch = replaceRows(text, { block: "runs", columns: Object.keys(row), rows });

  const kinds = rows.map((one) => one["runs of the kind"]!);
  const covered = Object.entries(batch.coverage).map(([name, { runs, times }]) => [name, `${runs} (${times})`]);
  const withFaults = replaceCounts(withBatch, {
    block: "faults",
    column: FAULT,
    kinds,
    kind: batch.kind,
    counts: batch.faults,
  });
  const counts = Object.fromEntries(covered);
  return replaceCounts(withFaults, { block: "coverage", column: COVERED, kinds, kind: batch.kind, counts });
}

interface Counts {
  readonly block: string;
  /** The title of the column of names. */
  readonly column: string;
  readonly kinds: readonly string[];
  /** The kind of the counts. Counts of other kinds stay. */
  readonly kind: string;
  readonly counts: { readonly [name: string]: number | string };
}

function replaceCounts(text: string, { block, column, kinds, kind, counts }: Counts): string {
  const known = new Map(readRows(text, block).map((one) => [one[column]!, one]));
  const names = [...new Set([...known.keys(), ...Object.keys(counts)])].sort();
  const toColumn = (name: string): string => `${name} runs`;
  return replaceRows(text, {
    block,
    columns: [column, ...kinds.map(toColumn)],
    rows: names.map((name) => ({ ...known.get(name), [column]: name, [toColumn(kind)]: `${counts[name] ?? 0}` })),
  });
}

/** The median of runs until found, or the number of runs that found nothing. */
function renderFound({ searches }: InjectedRow): TableRow {
  const found = searches.filter(({ isFound }) => isFound).length;
  const { median, min, max } = getSpread(
    searches.map(({ isFound, runs }) => (isFound ? runs : Number.POSITIVE_INFINITY)),
  );
  const leastRuns = Math.min(...searches.filter(({ isFound }) => !isFound).map(({ runs }) => runs));
  const format = (value: number): string => (Number.isFinite(value) ? `${value}` : `more than ${leastRuns}`);
  return {
    searches: `${found} of ${searches.length}`,
    "runs until found": found === 0 ? format(median) : `${format(median)} (${format(min)} to ${format(max)})`,
  };
}

const INJECTED_COLUMNS = ["injected fault", "safeguard that is missing", "searches", "runs until found", "searched"];

/** The text with every injected fault, and with the searches of a run instead of the previous ones. */
export function renderInjected(text: string, run: InjectedRun | null = null): string {
  const found = new Map(readRows(text, "injected").map((row) => [row["injected fault"]!, row]));
  for (const row of run?.rows ?? [])
    found.set(`\`${row.name}\``, {
      ...renderFound(row),
      searched: `from seed ${row.searches[0]!.seed}, ${toDay(run!.measuredAt)}`,
    });
  const rows = Object.entries(SIMULATED_FAULTS).map(([key, { missing }]) => {
    const name = `\`${key}\``;
    return {
      "runs until found": NOT_MEASURED,
      ...found.get(name),
      "injected fault": name,
      "safeguard that is missing": missing,
    };
  });
  return replaceRows(text, { block: "injected", columns: INJECTED_COLUMNS, rows });
}
