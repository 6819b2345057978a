import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { RETENTION } from "../../domain/retention.ts";

describe("the table of retention", () => {
  it("matches the operator's document, row by row", async () => {
    const text = await readFile("docs/operating.md", "utf8");
    for (const [table, { days, from }] of Object.entries(RETENTION))
      expect(text).to.include(`| \`${table}\` | ${days ?? "forever"} | ${from} |\n`);
  });
});
