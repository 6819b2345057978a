import { expect } from "chai";
import { expectNamedTest, readTable } from "./named-tests.ts";

const HEADING = "| attack | state | defense | test |";
const STATES = ["closed", "detected", "remains"];

describe("the table of attacks in docs/replays.md", () => {
  const rows = readTable("docs/replays.md", HEADING);

  it("states for every attack whether it is prevented, detected, or remains", () => {
    expect(rows).to.have.length.of.at.least(12);
    for (const [attack, state, defense] of rows) {
      expect(STATES, attack).to.include(state);
      expect(defense, attack).to.not.equal("");
    }
  });

  for (const [attack, , , test = ""] of rows) {
    it(`names a test that exists: ${attack}`, () => {
      expectNamedTest(test);
    });
  }
});
