import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

/** The rows below a table's heading in a document, as cells. */
export function readTable(document: string, heading: string): readonly (readonly string[])[] {
  const lines = readFileSync(join(root, document), "utf8").split("\n");
  const from = lines.indexOf(heading) + 2;
  const rows = lines.slice(from, lines.indexOf("", from));
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

/** A cell names a test as `path`: title. */
export function expectNamedTest(cell: string): void {
  const named = /^`(?<path>[^`]+)`: (?<title>.+)$/.exec(cell);
  expect(named, cell).to.not.equal(null);
  const { path, title } = named!.groups as { path: string; title: string };
  expect(readFileSync(join(root, path), "utf8")).to.include(`it("${title}"`);
}
