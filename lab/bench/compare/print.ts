/** Figures and rows as text, for the terminal and for docs/benchmarks.md. */
import type { Bar, BarResult, RowResult, SideResult, Spread } from "./types.ts";

/** Three significant digits; whole numbers from a thousand on with separators. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  if (size === 0) return "0";
  return size >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}

const withUnit = (value: number, unit: string): string => `${formatNumber(value)}${unit === "" ? "" : ` ${unit}`}`;

/** `5.2 us (4.9 to 6.1)`. */
export const formatSpread = ({ median, min, max }: Spread, unit = ""): string =>
  `${withUnit(median, unit)} (${formatNumber(min)} to ${formatNumber(max)})`;

export function formatBar(bar: Bar, unit: string): string {
  if ("share" in bar) return `≤ ${bar.share} x ${bar.against}`;
  if ("times" in bar)
    return bar.times < 1 ? `≥ ${bar.times * 100} % of ${bar.against}` : `≥ ${bar.times} x ${bar.against}`;
  const name = bar.of === undefined ? ` ${unit}` : ` ${bar.of}`;
  return "max" in bar ? `≤ ${formatNumber(bar.max)}${name}` : `≥ ${formatNumber(bar.min)}${name}`;
}

const formatReached = ({ reached, isMet }: BarResult): string =>
  `${formatSpread(reached)}, ${isMet ? "met" : "missed"}`;

/** The additional figures of a side. */
export const formatMore = ({ more }: SideResult): string =>
  Object.entries(more)
    .map(([name, spread]) => `${formatSpread(spread)} ${name}`)
    .join("; ");

/** The columns of `formatRow`. */
export const ROW_HEADER =
  "| # | what | side | median of rounds (fastest to slowest) | ours to it | also |\n|---|---|---|---|---|---|";

/** A line for each side, below `ROW_HEADER`. */
export const formatRow = (row: RowResult): string =>
  row.sides
    .map((side) => {
      const rounds = side.validRounds === row.rounds ? "" : `, ${side.validRounds} of ${row.rounds} rounds`;
      const value = `${formatSpread(side.value, row.figure.unit)}${rounds}`;
      return `| ${row.id} | ${row.what}: ${row.figure.name} | ${side.name} | ${value} | ${side.oursToIt === null ? "" : formatSpread(side.oursToIt)} | ${formatMore(side)} |`;
    })
    .join("\n");

/** A line for each bar. */
export const formatBars = ({ id, what, bars, figure }: RowResult): string =>
  bars.map((result) => `${id} ${what}: ${formatBar(result.bar, figure.unit)}: ${formatReached(result)}`).join("\n");
