import { expect } from "chai";
import { versions } from "../../games/index.ts";
import { computeGoldenDigests, getRulesName, readGoldenDigests } from "./golden-digests.ts";

describe("golden runs", () => {
  const golden = readGoldenDigests();

  for (const game of versions) {
    it(`${getRulesName(game)} still gives the digests of its first day`, () => {
      expect(computeGoldenDigests(game)).to.deep.equal(golden[getRulesName(game)]);
    });
  }

  it("cover every rules version ever played", () => {
    expect(versions.map(getRulesName)).to.have.members(Object.keys(golden));
  });
});
