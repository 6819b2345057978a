import { expect } from "chai";
import { getRulesHash } from "../../backend/games/rules-hash.ts";
import { hashRules, listFilesOfRules, readRuleFile } from "../../tools/docs/rules-hashes.ts";

/** The digests that stand in stored replays. They are written here by hand and never change. */
const PUBLISHED = {
  shellrunners: "0x9554dc42dcc67413b260f74901b4694e7c7477ed7cfd76841dd4515ad0b6faaa",
  flappybots: "0xfcc0daf8869d98e11a6f56e046208b53b7f6037d6ed85b272f0f2be752c3387c",
};

for (const [slug, published] of Object.entries(PUBLISHED)) {
  describe(`rules version 1 of ${slug}`, () => {
    it("has the digest that its replays carry", () => {
      expect(hashRules(slug, 1), "computed from the files of today").to.equal(published);
      expect(getRulesHash(slug, 1), "in the published list").to.equal(published);
    });

    it("gets another digest by one more byte in any of its files", () => {
      const files = listFilesOfRules(slug, 1);
      expect(files.filter((path) => path.includes("/v1/"))).to.not.be.empty;
      for (const changed of files) {
        const readChanged = (path: string): string => readRuleFile(path) + (path === changed ? "\n" : "");
        expect(hashRules(slug, 1, readChanged), changed).not.to.equal(published);
      }
    });
  });
}
