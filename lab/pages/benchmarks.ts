/** The tables of docs/benchmarks.md. Each run of a benchmark replaces its rows. The rest is written by hand. */

import { readBlock, replaceBlock } from "../../scripts/dev/docs/document-block.ts";
import { readTable, renderTable, type TableRow } from "../../scripts/dev/docs/table.ts";
import { formatMachine } from "../bench/compare/machine.ts";
import { formatBar, formatMore, formatSpread } from "../bench/compare/print.ts";
import type { BenchmarkRun } from "../bench/compare/run.ts";
import type { RowResult } from "../bench/compare/types.ts";

export const BENCHMARKS_DOCUMENT = "docs/benchmarks.md";
const BARS = "bars";
const BAR_COLUMNS = ["#", "row", "bar", "figure (lowest to highest)", "state", "command"] as const;
const FIGURE_COLUMNS = ["what", "side", "median (lowest to highest)", "rounds", "ours to it", "also"] as const;

const toCommand = (name: string): string => `\`npm run lab -- bench ${name}\``;

const listBars = ({ name, rows }: BenchmarkRun): readonly TableRow[] =>
  rows.flatMap(({ id, what, figure, bars }) =>
    bars.map(({ bar, reached, isMet }) => ({
      "#": id,
      row: what,
      bar: formatBar(bar, figure.unit),
      "figure (lowest to highest)": formatSpread(reached),
      state: isMet ? "met" : "missed",
      command: toCommand(name),
    })),
  );

const compareBars = (a: TableRow, b: TableRow): number =>
  Number(a["#"]!.slice(1)) - Number(b["#"]!.slice(1)) || a.command!.localeCompare(b.command!);

function renderBars(text: string, run: BenchmarkRun): string {
  const kept = readTable(readBlock(text, BARS)).filter(({ command }) => command !== toCommand(run.name));
  const rows = [...kept, ...listBars(run)].sort(compareBars);
  return renderTable(
    BAR_COLUMNS,
    rows.map((row) => BAR_COLUMNS.map((column) => row[column]!)),
  );
}

const listFigures = ({ what, figure, sides, rounds }: RowResult): readonly (readonly string[])[] =>
  sides.map((side, index) => [
    index === 0 ? `${what}: ${figure.name}` : "",
    side.name,
    formatSpread(side.value, figure.unit),
    side.validRounds === rounds ? `${rounds}` : `${side.validRounds} of ${rounds}`,
    side.oursToIt === null ? "" : formatSpread(side.oursToIt),
    formatMore(side),
  ]);

/** The document's text with the figures and bars of a run instead of the previous ones. */
export function addRun(text: string, run: BenchmarkRun): string {
  const { name, measuredAt, machine, loadAfter, seconds, rows } = run;
  const figures = [
    `Measured on ${measuredAt.slice(0, 10)}: ${formatMachine(machine)} before and ${loadAfter} after, ${seconds} s.`,
    "",
    renderTable(FIGURE_COLUMNS, rows.flatMap(listFigures)),
  ];
  return replaceBlock(replaceBlock(text, BARS, [renderBars(text, run)]), name, figures);
}
