import { expect } from "chai";
import { expectNamedTest, readTable } from "./named-tests.ts";

/** Entries that the runbook must have. */
const ENTRIES = [
  "a payout is stuck",
  "a signer's key has leaked",
  "the operator's key has leaked",
  "a node lies",
  "the disk is full",
  "guests take all they can",
  "the database is an older one",
  "the float is empty",
  "the chain makes no more blocks",
];

describe("the runbook in docs/operating.md", () => {
  const rows = readTable("docs/operating.md", "| what happened | test |");
  const attacks = readTable("docs/operating.md", "| attack by guests | safeguard | test |");

  it("has every entry that an operator needs", () => {
    expect(rows.map(([entry]) => entry)).to.include.members(ENTRIES);
  });

  for (const [entry, test = ""] of [...rows, ...attacks.map(([attack, , named]) => [attack, named])])
    it(`names a test that exists: ${entry}`, () => {
      expectNamedTest(test);
    });
});
