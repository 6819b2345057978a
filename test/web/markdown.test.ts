import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { GUIDES } from "../../domain/guides.ts";
import { type Block, parseInline, parseMarkdown, toAnchor } from "../../web/docs/markdown.ts";

const listBlocks = (blocks: readonly Block[]): readonly Block[] =>
  blocks.flatMap((block) => (block.kind === "list" ? [block, ...block.items.flatMap(listBlocks)] : [block]));

describe("the guides on the site", () => {
  it("reads headings, lists with code inside, tables and quotes", () => {
    const text = [
      "# One **two**",
      "",
      "A line",
      "and its rest.",
      "",
      "1. first",
      "",
      "   ```json",
      '   { "a": 1 }',
      "   ```",
      "   after it",
      "2. second",
      "   - inner",
      "",
      "| a | b |",
      "|---|---|",
      "| `x \\| y` | 2 |",
      "> said",
    ].join("\n");
    expect(parseMarkdown(text)).to.deep.equal([
      { kind: "heading", level: 1, text: "One **two**" },
      { kind: "paragraph", text: "A line and its rest." },
      {
        kind: "list",
        isOrdered: true,
        items: [
          [
            { kind: "paragraph", text: "first" },
            { kind: "code", text: '{ "a": 1 }' },
            { kind: "paragraph", text: "after it" },
          ],
          [
            { kind: "paragraph", text: "second" },
            { kind: "list", isOrdered: false, items: [[{ kind: "paragraph", text: "inner" }]] },
          ],
        ],
      },
      { kind: "table", head: ["a", "b"], rows: [["`x | y`", "2"]] },
      { kind: "quote", text: "said" },
    ]);
  });

  it("reads spans, and leaves HTML as the text that it is", () => {
    expect(parseInline("a `b<c>` **d** [e](f.md) <img src=x>")).to.deep.equal([
      { kind: "text", text: "a " },
      { kind: "code", text: "b<c>" },
      { kind: "text", text: " " },
      { kind: "strong", text: "d" },
      { kind: "text", text: " " },
      { kind: "link", text: "e", href: "f.md" },
      { kind: "text", text: " <img src=x>" },
    ]);
    expect(toAnchor("Where do I change …")).to.equal("where-do-i-change");
  });

  for (const name of Object.keys(GUIDES))
    it(`reads all of ${name}.md: no mark of Markdown is left in its text`, async () => {
      const text = await readFile(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
      const blocks = listBlocks(parseMarkdown(text));
      expect(blocks.filter(({ kind }) => kind === "heading").length).to.be.above(0);
      for (const block of blocks) {
        if (block.kind === "paragraph") expect(block.text).to.not.match(/^(#|```|\||\d+\. |- |<!--)/);
        if (block.kind === "table")
          for (const row of block.rows) expect(row, row.join()).to.have.length(block.head.length);
      }
    });
});
