/** Words and numbers for pictures: safe text, colours, and choices that follow from a name alone. */
import { createHash } from "node:crypto";

/** Side of every picture. */
export const SIZE = 600;

/** Text inside of an SVG element or a quoted attribute. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

export const hsl = (hue: number, saturation: number, lightness: number, alpha = 1): string =>
  `hsl(${Math.round(((hue % 360) + 360) % 360)} ${saturation}% ${lightness}%${alpha === 1 ? "" : ` / ${alpha}`})`;

export interface Dice {
  /** A number from 0 to `count - 1`. */
  pick(count: number): number;
  /** A number between the two, in steps of a 255th. */
  between(from: number, to: number): number;
}

/** Choices that are the same for the same name, in the order in which they are asked for. */
export function diceOf(name: string): Dice {
  let block = createHash("sha256").update(name).digest();
  let used = 0;
  const byte = (): number => {
    if (used === block.length) {
      block = createHash("sha256").update(block).digest();
      used = 0;
    }
    return block[used++]!;
  };
  return {
    pick: (count) => byte() % count,
    between: (from, to) => from + ((to - from) * byte()) / 255,
  };
}

/** Wide characters (CJK, emoji) take about twice the room of a letter. */
const widthOf = (text: string): number =>
  [...text].reduce((sum, char) => {
    if (char.codePointAt(0)! > 0x2e7f) return sum + 1.05;
    if (/[mwMW@%]/.test(char)) return sum + 1.02;
    return sum + (/[A-Z0-9&]/.test(char) ? 0.72 : 0.58);
  }, 0);

export interface TextStyle {
  readonly size: number;
  readonly weight?: number;
  readonly fill?: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly spacing?: number;
  readonly opacity?: number;
  /** The text is made smaller until it is no wider. */
  readonly maxWidth?: number;
  readonly mono?: boolean;
}

export function text(x: number, y: number, words: string, style: TextStyle): string {
  const { weight = 600, fill = "#fff", anchor = "middle", spacing = 0, opacity = 1, maxWidth = SIZE, mono } = style;
  const natural = widthOf(words) * style.size + spacing * [...words].length;
  const size = Math.round(style.size * Math.min(1, maxWidth / natural) * 10) / 10;
  const family = mono
    ? "ui-monospace, Menlo, Consolas, monospace"
    : "ui-rounded, 'SF Pro Rounded', 'Segoe UI', system-ui, sans-serif";
  return `<text x="${x}" y="${y}" font-family="${family}" font-size="${size}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}"${spacing === 0 ? "" : ` letter-spacing="${spacing}"`}${opacity === 1 ? "" : ` opacity="${opacity}"`}>${escapeXml(words)}</text>`;
}

/** A whole picture. `title` is what a screen reader says. */
export const picture = (title: string, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}" role="img"><title>${escapeXml(title)}</title>${parts.join("")}</svg>`;

export const linear = (
  id: string,
  stops: readonly (readonly [number, string])[],
  angle: "down" | "across" | "slant" = "down",
): string => {
  const [x2, y2] = { down: [0, 1], across: [1, 0], slant: [1, 1] }[angle];
  return `<linearGradient id="${id}" x1="0" y1="0" x2="${x2}" y2="${y2}">${stopsOf(stops)}</linearGradient>`;
};

export const radial = (id: string, stops: readonly (readonly [number, string])[]): string =>
  `<radialGradient id="${id}">${stopsOf(stops)}</radialGradient>`;

const stopsOf = (stops: readonly (readonly [number, string])[]): string =>
  stops.map(([at, color]) => `<stop offset="${at}" stop-color="${color}"/>`).join("");

export const circle = (x: number, y: number, r: number, fill: string, more = ""): string =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="${fill}"${more === "" ? "" : ` ${more}`}/>`;

export const box = (x: number, y: number, w: number, h: number, r: number, fill: string, more = ""): string =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" rx="${r}" fill="${fill}"${more === "" ? "" : ` ${more}`}/>`;

export const path = (d: string, fill: string, more = ""): string =>
  `<path d="${d}" fill="${fill}"${more === "" ? "" : ` ${more}`}/>`;

export const round = (value: number): number => Math.round(value * 10) / 10;

/** The same, mirrored at the picture's middle. */
export const mirrored = (parts: string): string => `<g transform="translate(${SIZE} 0) scale(-1 1)">${parts}</g>`;
export const onBothSides = (parts: string): string => parts + mirrored(parts);
