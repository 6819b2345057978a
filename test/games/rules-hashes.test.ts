import { expect } from "chai";
import { getRulesHash } from "../../games/rules-hash.ts";
import { hashRules, listFilesOfRules, readRuleFile } from "../../scripts/dev/docs/rules-hashes.ts";

/** The digests that stand in stored replays. They are written here by hand and never change. */
const PUBLISHED = [
  ["shellrunners", 1, "0x9554dc42dcc67413b260f74901b4694e7c7477ed7cfd76841dd4515ad0b6faaa"],
  ["flappybots", 1, "0xfcc0daf8869d98e11a6f56e046208b53b7f6037d6ed85b272f0f2be752c3387c"],
  ["shellrunners", 2, "0xb8da9537db6ea51a2af6964a737a127e64d8015bff1fda64f28c9968cc17f5cd"],
  ["flappybots", 2, "0xc187edd8e2913d08fa0c48f729351b15eebe8dcc380075cf8d2d60390d278893"],
] as const;

for (const [slug, version, published] of PUBLISHED) {
  describe(`rules version ${version} of ${slug}`, () => {
    it("has the digest that its replays carry", () => {
      expect(hashRules(slug, version), "computed from the files of today").to.equal(published);
      expect(getRulesHash(slug, version), "in the published list").to.equal(published);
    });

    it("gets another digest by one more byte in any of its files", () => {
      const files = listFilesOfRules(slug, version);
      expect(files.filter((path) => path.startsWith(slug))).to.not.be.empty;
      for (const changed of files) {
        const readChanged = (path: string): string => readRuleFile(path) + (path === changed ? "\n" : "");
        expect(hashRules(slug, version, readChanged), changed).not.to.equal(published);
      }
    });
  });
}
