/** Strings of SVG elements with escaped text, for the pictures of tokens. Every picture is a square of `SIZE`. */

/** Width and height of a picture in SVG units. */
export const SIZE = 600;

/** Escapes text for an SVG element or a quoted attribute. */
const escapeXml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

export const hsl = (hue: number, saturation: number, lightness: number, alpha = 1): string =>
  `hsl(${Math.round(((hue % 360) + 360) % 360)} ${saturation}% ${lightness}%${alpha === 1 ? "" : ` / ${alpha}`})`;

/** Estimates the width of a text in units of its font size. CJK characters and emoji are about twice as wide as letters. */
const estimateWidth = (text: string): number =>
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
  /** Reduces the font size until the text is not wider than this. */
  readonly maxWidth?: number;
  readonly mono?: boolean;
}

export function text(x: number, y: number, content: string, style: TextStyle): string {
  const { weight = 600, fill = "#fff", anchor = "middle", spacing = 0, opacity = 1, maxWidth = SIZE, mono } = style;
  const naturalWidth = estimateWidth(content) * style.size + spacing * [...content].length;
  const size = Math.round(style.size * Math.min(1, maxWidth / naturalWidth) * 10) / 10;
  const family = mono
    ? "ui-monospace, Menlo, Consolas, monospace"
    : "ui-rounded, 'SF Pro Rounded', 'Segoe UI', system-ui, sans-serif";
  return `<text x="${x}" y="${y}" font-family="${family}" font-size="${size}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}"${spacing === 0 ? "" : ` letter-spacing="${spacing}"`}${opacity === 1 ? "" : ` opacity="${opacity}"`}>${escapeXml(content)}</text>`;
}

/** Builds a whole picture. A screen reader reads `title`. */
export const createSvg = (title: string, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}" role="img"><title>${escapeXml(title)}</title>${parts.join("")}</svg>`;

export const linearGradient = (
  id: string,
  stops: readonly (readonly [number, string])[],
  angle: "down" | "across" | "slant" = "down",
): string => {
  const [x2, y2] = { down: [0, 1], across: [1, 0], slant: [1, 1] }[angle];
  return `<linearGradient id="${id}" x1="0" y1="0" x2="${x2}" y2="${y2}">${formatStops(stops)}</linearGradient>`;
};

export const radialGradient = (id: string, stops: readonly (readonly [number, string])[]): string =>
  `<radialGradient id="${id}">${formatStops(stops)}</radialGradient>`;

const formatStops = (stops: readonly (readonly [number, string])[]): string =>
  stops.map(([offset, color]) => `<stop offset="${offset}" stop-color="${color}"/>`).join("");

export const circle = (x: number, y: number, r: number, fill: string, attributes = ""): string =>
  `<circle cx="${roundToTenth(x)}" cy="${roundToTenth(y)}" r="${roundToTenth(r)}" fill="${fill}"${attributes === "" ? "" : ` ${attributes}`}/>`;

export const rect = (x: number, y: number, w: number, h: number, r: number, fill: string, attributes = ""): string =>
  `<rect x="${roundToTenth(x)}" y="${roundToTenth(y)}" width="${roundToTenth(w)}" height="${roundToTenth(h)}" rx="${r}" fill="${fill}"${attributes === "" ? "" : ` ${attributes}`}/>`;

export const path = (d: string, fill: string, attributes = ""): string =>
  `<path d="${d}" fill="${fill}"${attributes === "" ? "" : ` ${attributes}`}/>`;

export const roundToTenth = (value: number): number => Math.round(value * 10) / 10;

/** Mirrors elements at the vertical center line. */
const mirror = (parts: string): string => `<g transform="translate(${SIZE} 0) scale(-1 1)">${parts}</g>`;
export const withMirror = (parts: string): string => parts + mirror(parts);
