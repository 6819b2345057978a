import { expect } from "chai";
import { getRulesHash } from "../../games/rules-hash.ts";
import { hashRules, listFilesOfRules, readRuleFile } from "../../scripts/dev/docs/rules-hashes.ts";

/** The digests in stored replays. They are written by hand and never change. */
const PUBLISHED = [
  ["shellrunners", 2, "0xb8da9537db6ea51a2af6964a737a127e64d8015bff1fda64f28c9968cc17f5cd"],
  ["flappybots", 2, "0xc187edd8e2913d08fa0c48f729351b15eebe8dcc380075cf8d2d60390d278893"],
] as const;

for (const [slug, version, published] of PUBLISHED) {
  describe(`rules version ${version} of ${slug}`, () => {
    it("has the digest that is in its replays", () => {
      expect(hashRules(slug, version), "computed from the files of today").to.equal(published);
      expect(getRulesHash(slug, version), "in the published list").to.equal(published);
    });

    it("gets another digest from one more byte in any of its files", () => {
      const files = listFilesOfRules(slug, version);
      expect(files.filter((path) => path.startsWith(slug))).to.not.be.empty;
      for (const changed of files) {
        const readChanged = (path: string): string => readRuleFile(path) + (path === changed ? "\n" : "");
        expect(hashRules(slug, version, { readFile: readChanged }), changed).not.to.equal(published);
      }
    });
  });
}
