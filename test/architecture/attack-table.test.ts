import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

const HEADING = "| attack | state | what stands against it | test |";
const STATES = ["closed", "detected", "remains"];

/** The rows of the table of attacks, without its head. */
function readRows(): readonly (readonly string[])[] {
  const lines = readFileSync(join(root, "docs/replays.md"), "utf8").split("\n");
  const from = lines.indexOf(HEADING) + 2;
  const rows = lines.slice(from, lines.indexOf("", from));
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

describe("the table of attacks in docs/replays.md", () => {
  const rows = readRows();

  it("says of every attack that it is closed, detected, or remains", () => {
    expect(rows).to.have.length.of.at.least(12);
    for (const [attack, state, defense] of rows) {
      expect(STATES, attack).to.include(state);
      expect(defense, attack).to.not.equal("");
    }
  });

  for (const [attack, , , test = ""] of rows) {
    it(`names a test that exists: ${attack}`, () => {
      const { path, title } = /^`(?<path>[^`]+)`: (?<title>.+)$/.exec(test)!.groups as { path: string; title: string };
      expect(readFileSync(join(root, path), "utf8")).to.include(`it("${title}"`);
    });
  }
});
