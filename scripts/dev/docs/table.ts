/** Tables of Markdown. */

export const renderTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** A row's cells by the headings of their columns. */
export type TableRow = { readonly [heading: string]: string };

/** The rows of the first table of the text; none if it has no table. Cells keep their escapes. */
export function readTable(text: string): readonly TableRow[] {
  const [table = ""] = /(?:^\|.*\|(?:\n|$))+/m.exec(text) ?? [];
  const [head, , ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /));
  return rows.map((cells) => Object.fromEntries(head!.map((heading, index) => [heading, cells[index] ?? ""])));
}
