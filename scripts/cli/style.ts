/** Colours and forms of what commands print. Colour only on a terminal, and never with NO_COLOR (https://no-color.org). */
import { styleText } from "node:util";

type Look = Parameters<typeof styleText>[0];

export interface Style {
  readonly coloured: boolean;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly accent: (text: string) => string;
}

/** `isTty`: whether the stream is a terminal. FORCE_COLOR colours a pipe as well. */
export function makeStyle(isTty: boolean, env: NodeJS.ProcessEnv = process.env): Style {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "0";
  const coloured = (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb" && (isTty || forced);
  const paint =
    (look: Look) =>
    (text: string): string =>
      coloured ? styleText(look, text, { validateStream: false }) : text;
  return {
    coloured,
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

/** A text without its colours. */
export const plain = (text: string): string => text.replace(ESCAPES, "");

/** How wide a text stands on a terminal, colours left out. */
export const widthOf = (text: string): number => [...plain(text)].length;

export const padEnd = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));
export const padStart = (text: string, width: number): string => " ".repeat(Math.max(0, width - widthOf(text))) + text;

/** `0x1234…abcd`. */
export const short = (hex: string): string => (hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex);

/** `340 ms`, `12.3 s`, `2 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** `12,345`. */
export const thousands = (value: number | bigint): string => value.toLocaleString("en-US");

/** Rows under headings, columns as wide as their widest cell; columns named in `right` stand to the right. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  right: readonly number[] = [],
): string {
  const widths = heads.map((head, i) => Math.max(widthOf(head), ...rows.map((row) => widthOf(row[i] ?? ""))));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (right.includes(i) ? padStart(cell, widths[i]!) : padEnd(cell, widths[i]!)))
      .join("  ")
      .trimEnd();
  const body = rows.map((row) => `  ${line(row)}`);
  return [
    `  ${style.dim(line(heads))}`,
    `  ${style.dim(widths.map((width) => "─".repeat(width)).join("  "))}`,
    ...body,
  ].join("\n");
}
