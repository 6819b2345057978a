/** Text in a five-row pixel font, drawn as one path. Screen readers get the plain text. */

/** Rows from top to bottom; `#` is set. */
const GLYPHS: { readonly [letter: string]: string } = {
  A: ".##./#..#/####/#..#/#..#",
  B: "###./#..#/###./#..#/###.",
  C: ".###/#.../#.../#.../.###",
  D: "###./#..#/#..#/#..#/###.",
  E: "####/#.../###./#.../####",
  F: "####/#.../###./#.../#...",
  G: ".###/#.../#.##/#..#/.###",
  H: "#..#/#..#/####/#..#/#..#",
  I: "###/.#./.#./.#./###",
  J: "..##/...#/...#/#..#/.##.",
  K: "#..#/#.#./##../#.#./#..#",
  L: "#.../#.../#.../#.../####",
  M: "#...#/##.##/#.#.#/#...#/#...#",
  N: "#..#/##.#/#.##/#..#/#..#",
  O: ".##./#..#/#..#/#..#/.##.",
  P: "###./#..#/###./#.../#...",
  Q: ".##./#..#/#..#/#.#./.#.#",
  R: "###./#..#/###./#.#./#..#",
  S: ".###/#.../.##./...#/###.",
  T: "#####/..#../..#../..#../..#..",
  U: "#..#/#..#/#..#/#..#/.##.",
  V: "#...#/#...#/#...#/.#.#./..#..",
  W: "#...#/#...#/#.#.#/##.##/#...#",
  X: "#...#/.#.#./..#../.#.#./#...#",
  Y: "#...#/.#.#./..#../..#../..#..",
  Z: "####/...#/.##./#.../####",
  "0": "####/#..#/#..#/#..#/####",
  "1": "..#./.##./..#./..#./.###",
  "2": "####/...#/####/#.../####",
  "3": "####/...#/.###/...#/####",
  "4": "#..#/#..#/####/...#/...#",
  "5": "####/#.../####/...#/####",
  "6": "####/#.../####/#..#/####",
  "7": "####/...#/..#./..#./..#.",
  "8": "####/#..#/####/#..#/####",
  "9": "####/#..#/####/...#/####",
  "-": ".../.../###/.../...",
  "+": ".../.#./###/.#./...",
  ".": "././././#",
  ":": "./#/./#/.",
  " ": "../../../../..",
};

const GAP = 1;

/** One square per set dot, in dot units. */
function toPixelPath(text: string): { readonly path: string; readonly width: number } {
  let path = "";
  let x = 0;
  for (const letter of text.toUpperCase()) {
    const rows = (GLYPHS[letter] ?? GLYPHS["-"]!).split("/");
    for (const [y, row] of rows.entries()) {
      for (const run of row.matchAll(/#+/g)) path += `M${x + run.index} ${y}h${run[0].length}v1h-${run[0].length}z`;
    }
    x += rows[0]!.length + GAP;
  }
  return { path, width: Math.max(1, x - GAP) };
}

interface PixelTextProps {
  readonly text: string;
  /** Screen readers get this instead of the text. */
  readonly label?: string;
  readonly class?: string;
}

export function PixelText({ text, label, class: className }: PixelTextProps) {
  const { path, width } = toPixelPath(text);
  return (
    <span class={`pixels ${className ?? ""}`}>
      <svg viewBox={`0 0 ${width} 5`} style={`--dots: ${width}`} aria-hidden="true" shape-rendering="crispEdges">
        <path d={path} fill="currentColor" />
      </svg>
      <span class="visually-hidden">{label ?? text}</span>
    </span>
  );
}
