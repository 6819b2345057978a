/** The part of Markdown that the guides use, as data. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph" | "quote"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const FENCE = /^```/;
const HEADING = /^(#{1,6}) (.*)$/;
const ITEM = /^(?:[-*]|(\d+)\.) +/;
const TABLE_RULE = /^\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?$/;
const COMMENT = /^<!--.*-->$/;

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === "";
const startsBlock = (lines: readonly string[], index: number): boolean => {
  const line = lines[index]!;
  const isTable = line.includes("|") && TABLE_RULE.test(lines[index + 1]?.trim() ?? "");
  return FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || line.startsWith(">") || isTable;
};

/** Cells of a table's row; `\|` is no border. */
const toCells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** The lines of an item: its first without the mark, the others without its indentation. */
function readItem(lines: readonly string[], start: number): { readonly inner: string[]; readonly end: number } {
  const indentation = ITEM.exec(lines[start]!)![0].length;
  const inner = [lines[start]!.slice(indentation)];
  let end = start + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end]!;
    const isInside = isBlank(line) ? /^ {2,}\S/.test(lines[end + 1] ?? "") : /^ {2,}/.test(line);
    const continues = !isBlank(line) && !isBlank(lines[end - 1]) && !startsBlock(lines, end);
    if (!isInside && !continues) break;
    inner.push(line.replace(new RegExp(`^ {0,${indentation}}`), ""));
  }
  return { inner, end };
}

function readList(lines: readonly string[], start: number): { readonly block: Block; readonly end: number } {
  const items: Block[][] = [];
  const isOrdered = ITEM.exec(lines[start]!)![1] !== undefined;
  let index = start;
  while (index < lines.length) {
    const isNext = ITEM.test(lines[index]!) && (ITEM.exec(lines[index]!)![1] !== undefined) === isOrdered;
    if (!isNext) break;
    const { inner, end } = readItem(lines, index);
    items.push(parseBlocks(inner));
    index = end;
    if (isBlank(lines[index]) && ITEM.test(lines[index + 1] ?? "")) index += 1;
  }
  return { block: { kind: "list", isOrdered, items }, end: index };
}

function readCode(lines: readonly string[], start: number): { readonly block: Block; readonly end: number } {
  const close = lines.findIndex((line, index) => index > start && FENCE.test(line));
  const end = close < 0 ? lines.length : close;
  return { block: { kind: "code", text: lines.slice(start + 1, end).join("\n") }, end: end + 1 };
}

function readTable(lines: readonly string[], start: number): { readonly block: Block; readonly end: number } {
  let end = start + 2;
  while (end < lines.length && lines[end]!.includes("|")) end += 1;
  const rows = lines.slice(start + 2, end).map(toCells);
  return { block: { kind: "table", head: toCells(lines[start]!), rows }, end };
}

function readText(lines: readonly string[], start: number): { readonly block: Block; readonly end: number } {
  let end = start + 1;
  const isQuote = lines[start]!.startsWith(">");
  while (end < lines.length && !isBlank(lines[end]) && (isQuote || !startsBlock(lines, end))) end += 1;
  const text = lines.slice(start, end).map((line) => (isQuote ? line.replace(/^> ?/, "") : line.trim()));
  return { block: { kind: isQuote ? "quote" : "paragraph", text: text.join(" ") }, end };
}

function readBlock(lines: readonly string[], start: number): { readonly block: Block; readonly end: number } {
  const line = lines[start]!;
  const heading = HEADING.exec(line);
  if (heading !== null)
    return { block: { kind: "heading", level: heading[1]!.length, text: heading[2]! }, end: start + 1 };
  if (FENCE.test(line)) return readCode(lines, start);
  if (ITEM.test(line)) return readList(lines, start);
  if (line.includes("|") && TABLE_RULE.test(lines[start + 1]?.trim() ?? "")) return readTable(lines, start);
  return readText(lines, start);
}

function parseBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; ) {
    if (isBlank(lines[index]) || COMMENT.test(lines[index]!)) {
      index += 1;
      continue;
    }
    const { block, end } = readBlock(lines, index);
    blocks.push(block);
    index = end;
  }
  return blocks;
}

export const parseMarkdown = (text: string): readonly Block[] => parseBlocks(text.replaceAll("\r", "").split("\n"));

export type Inline =
  | { readonly kind: "text" | "code" | "strong" | "emphasis"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|!?\[([^\]]*)\]\(([^)\s]+)\)|(?<![\w*])\*([^*\s][^*]*)\*/g;

/** Spans of a line of text. */
export function parseInline(text: string): readonly Inline[] {
  const spans: Inline[] = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > last) spans.push({ kind: "text", text: text.slice(last, match.index) });
    const [whole, code, strong, label, href, emphasis] = match;
    if (code !== undefined) spans.push({ kind: "code", text: code });
    else if (strong !== undefined) spans.push({ kind: "strong", text: strong });
    else if (emphasis !== undefined) spans.push({ kind: "emphasis", text: emphasis });
    else spans.push({ kind: "link", text: label!, href: href! });
    last = match.index + whole.length;
  }
  if (last < text.length) spans.push({ kind: "text", text: text.slice(last) });
  return spans;
}

/** `Reading a frame` as `reading-a-frame`: what links within a guide name. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s+/g, "-");
