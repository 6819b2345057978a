import { expect } from "chai";
import { versions } from "../../backend/games/index.ts";
import { digestOfRun } from "./digest-run.ts";

/**
 * Digests of scripted runs per rules version. They never change: a change of the rules that alters one is a new rules
 * version beside the old one, with its own line here.
 */
const GOLDEN: { readonly [rules: string]: readonly string[] } = {
  "shellrunners 1": [
    "0xf58fba41b9f62ddcfc6b90cf074b48b1bf3a23a8309f651f36bc332ef3b54b9e",
    "0x0e8fd7013f78739faaf066dcf11dc4fe87a8852be8fb5e363dbfabb487d60a3f",
    "0x21d594a90f43f34c362415ceeb4072a91206490b4a5157e89d80fa98811b4841",
    "0xe980fcfd55845cf88ea6062694f99aa8cdeee514c7ad77d5a2838e6141862eac",
  ],
  "flappybots 1": [
    "0x685f03b1dc65aabc86b2d47f1b5004465f68abf8113df2680f85352f9b96e29d",
    "0x9483473a92954560127342f50248a9ed4fef3ee6d5870d85e00f2d73ef4d7db0",
    "0x9503afc29bf0efa92a8908a4a1580a06be0f33aeb00ac0c107cd8e6c552cba59",
    "0x37f08d152d9dbca2e002b525f0f58712b0c1b2f24efd7a509fba92034fac1f8b",
  ],
};

describe("golden runs", () => {
  for (const game of versions) {
    const rules = `${game.slug} ${game.rulesVersion}`;
    it(`${rules} still gives the digests of its first day`, () => {
      const runs = [
        digestOfRun(game, 1, 40),
        digestOfRun(game, 2, 400),
        digestOfRun(game, 3, 900, 60),
        digestOfRun(game, 4, 6000, game.tickHz, true),
      ];
      expect(runs).to.deep.equal(GOLDEN[rules]);
    });
  }

  it("cover every rules version ever played", () => {
    expect(versions.map((game) => `${game.slug} ${game.rulesVersion}`)).to.have.members(Object.keys(GOLDEN));
  });
});
