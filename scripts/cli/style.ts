/** Colors and layout of printed output. Colors only on a terminal, and never with NO_COLOR (https://no-color.org). */
import { styleText } from "node:util";
import { type Environment, getEnvironment } from "../../backend/config/environment.ts";

type TextFormat = Parameters<typeof styleText>[0];

export interface Style {
  readonly isColored: boolean;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly accent: (text: string) => string;
}

/** `isTty`: whether the stream is a terminal. FORCE_COLOR also colors a pipe. */
export function createStyle(isTty: boolean, env: Environment = getEnvironment()): Style {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "0";
  const isColored = (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb" && (isTty || forced);
  const paint =
    (format: TextFormat) =>
    (text: string): string =>
      isColored ? styleText(format, text, { validateStream: false }) : text;
  return {
    isColored,
    good: paint("green"),
    bad: paint("red"),
    warn: paint("yellow"),
    dim: paint("dim"),
    bold: paint("bold"),
    accent: paint("cyan"),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const ESCAPES = /\u001b\[[0-9;]*m/g;

export const stripAnsi = (text: string): string => text.replace(ESCAPES, "");

/** The width of a text on a terminal, in columns, ignoring its colors. */
export const getDisplayWidth = (text: string): number => [...stripAnsi(text)].length;

export const padEnd = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - getDisplayWidth(text)));
export const padStart = (text: string, width: number): string =>
  " ".repeat(Math.max(0, width - getDisplayWidth(text))) + text;

/** `0x1234…abcd`. */
export const shortenHex = (hex: string): string => (hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex);

/** `340 ms`, `12.3 s`, `2 min 05 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** `12,345`. */
export const formatInteger = (value: number | bigint): string => value.toLocaleString("en-US");

/** `1 replay`, `12,345 replays`. */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatInteger(count)} ${count === 1 ? noun : plural}`;

/** Rows under headings; columns are as wide as their widest cell and left-aligned unless listed. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  rightAlignedColumns: readonly number[] = [],
): string {
  const widths = headings.map((head, i) =>
    Math.max(getDisplayWidth(head), ...rows.map((row) => getDisplayWidth(row[i] ?? ""))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (rightAlignedColumns.includes(i) ? padStart(cell, widths[i]!) : padEnd(cell, widths[i]!)))
      .join("  ")
      .trimEnd();
  const body = rows.map((row) => `  ${line(row)}`);
  return [
    `  ${style.dim(line(headings))}`,
    `  ${style.dim(widths.map((width) => "─".repeat(width)).join("  "))}`,
    ...body,
  ].join("\n");
}
