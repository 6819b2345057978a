import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

const HEADING = "| finding | cure | test | seen red by |";

/** The rows of the table of findings, without its head. */
function readRows(): readonly (readonly string[])[] {
  const lines = readFileSync(join(root, "docs/audit.md"), "utf8").split("\n");
  const from = lines.indexOf(HEADING) + 2;
  const rows = lines.slice(from, lines.indexOf("", from));
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

describe("the table of findings in docs/audit.md", () => {
  const rows = readRows();

  it("has a row for every finding that was not rejected", () => {
    const ids = new Set(rows.map(([finding = ""]) => finding.split(" ")[0]));
    const rejected = ["L9", "L11", "L12", "L13"];
    const range = (letter: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
    const all = [...range("H", 2), ...range("M", 9), ...range("L", 20)];
    expect([...ids].sort()).to.deep.equal(all.filter((id) => !rejected.includes(id)).sort());
  });

  for (const [finding, , test = ""] of rows.filter(([, , test]) => test !== "-")) {
    it(`names a test that exists: ${finding}`, () => {
      const { path, title } = /^`(?<path>[^`]+)`: (?<title>.+)$/.exec(test)!.groups as { path: string; title: string };
      expect(readFileSync(join(root, path), "utf8")).to.include(title);
    });
  }
});
