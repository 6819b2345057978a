import { expect } from "chai";
import { versions } from "../../backend/games/index.ts";
import { goldenRuns, readGoldenDigests, rulesName } from "./golden-digests.ts";

describe("golden runs", () => {
  const golden = readGoldenDigests();

  for (const game of versions) {
    it(`${rulesName(game)} still gives the digests of its first day`, () => {
      expect(goldenRuns(game)).to.deep.equal(golden[rulesName(game)]);
    });
  }

  it("cover every rules version ever played", () => {
    expect(versions.map(rulesName)).to.have.members(Object.keys(golden));
  });
});
