/** The output of a command as a picture (SVG). */

const LINE_HEIGHT = 20;
const CHARACTER_WIDTH = 8.4;
const PADDING = 18;
const LINES_MAX = 40;

const ESCAPES: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeXml = (text: string): string => text.replace(/[&<>]/g, (character) => ESCAPES[character]!);

/** Without colors, and without lines that a terminal would have written over. */
const toLines = (output: string): readonly string[] =>
  output
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of terminals begin with one
    .replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    .split("\n")
    .map((line) => line.split("\r").at(-1)!.trimEnd())
    .slice(0, LINES_MAX);

export function renderTerminal(output: string): string {
  const lines = toLines(output.trim());
  const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * CHARACTER_WIDTH) + 2 * PADDING;
  const height = lines.length * LINE_HEIGHT + 2 * PADDING;
  const texts = lines.map(
    (line, index) =>
      `<text x="${PADDING}" y="${PADDING + (index + 0.75) * LINE_HEIGHT}" xml:space="preserve">${escapeXml(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<rect width="100%" height="100%" rx="8" fill="#0f1719"/>
<g fill="#ece9dd" font-family="ui-monospace, 'DejaVu Sans Mono', monospace" font-size="14">
${texts.join("\n")}
</g>
</svg>
`;
}
