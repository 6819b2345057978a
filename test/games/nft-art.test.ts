import { createHash } from "node:crypto";
import { expect } from "chai";
import { drawGameNft } from "../../backend/services/metadata/images/game-nft.ts";
import { findGame } from "../../games/index.ts";

/** First 8 bytes of the SHA-256 of each picture, by tier. A token's picture must never change. */
const GOLDEN: { readonly [slug: string]: readonly string[] } = {
  shellrunners: ["83860b2b68c59602", "b50eaa0f9c554a3d", "7008a8fab8043a7f", "8586edf0a4658aaa"],
  flappybots: ["26cf42dce033690c", "36fb2bebd82cff21", "9e0568b9c6abd356", "f816434a51dcad40"],
  unknown: ["33e61ed9e3cdb6bd", "2ba5fd937e32b8ba", "a2091573eb146737", "bff87db707773183"],
};

describe("the NFT art of a game", () => {
  for (const [slug, digests] of Object.entries(GOLDEN)) {
    it(`draws ${slug} byte for byte as before`, () => {
      const facts = { slug, title: `The ${slug}`, tokenId: "7", agentName: "Barnacle", score: 12_345 };
      const drawn = [1, 2, 3, 4].map((tier) =>
        createHash("sha256")
          .update(drawGameNft({ ...facts, tier, tierName: "Tier", tierCount: 4 }, findGame(slug)?.nftArt))
          .digest("hex")
          .slice(0, 16),
      );
      expect(drawn).to.deep.equal(digests);
    });
  }
});
