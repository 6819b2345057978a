import { expect } from "chai";
import { MaxUint256, ZeroAddress } from "ethers";
import { type Arcade, as, THRESHOLDS, useArcade } from "./helpers/arcade.ts";
import { expectRevert } from "./helpers/expect.ts";
import { expectGameNftMint, expectGameNftUpgrade, makeGameNftCall, sendGameNft } from "./helpers/game-nft.ts";
import { mintIdentities } from "./helpers/identity.ts";

/** The highest score that a record holds. */
const MAX_SCORE = 2n ** 32n - 1n;

describe("GameNFT", () => {
  const arcade = useArcade();
  /** The arcade with identities 1 to `count` of the player. */
  const withIdentities = async (count = 1): Promise<Arcade> => {
    await mintIdentities(arcade, count);
    return arcade;
  };

  describe("mint", () => {
    it("mints to the named wallet, also when another account sends it", async () => {
      const arcade = await withIdentities();
      await expectGameNftMint(arcade, {}, { sender: arcade.thirdParty });
      expect(await arcade.nft.balanceOf(arcade.thirdParty)).to.equal(0n);
    });

    it("gives each score its tier", async () => {
      const arcade = await withIdentities(2 * THRESHOLDS.length);
      let agentId = 1n;
      for (const threshold of THRESHOLDS) {
        for (const score of [threshold, threshold + 1n]) {
          await expectGameNftMint(arcade, { agentId, score });
          agentId += 1n;
        }
      }
    });

    it("refuses a score below the first tier, a second mint and what no record can hold", async () => {
      const arcade = await withIdentities(3);
      const { nft } = arcade;
      const mint = (changes: object) => async () => sendGameNft(arcade, "MintGameNft", changes);
      await expectRevert(mint({ score: 99n })(), "ScoreBelowFirstTier", 99n, 100n);
      expect(await nft.MAX_SCORE()).to.equal(MAX_SCORE);
      await expectRevert(mint({ score: MAX_SCORE + 1n })(), "ScoreOutOfRange", MAX_SCORE + 1n, MAX_SCORE);
      await expectGameNftMint(arcade, { agentId: 2n, score: MAX_SCORE });
      await expectGameNftMint(arcade);
      await expectRevert(mint({ score: 900n })(), "AlreadyMinted", 1n);
    });

    it("asks the identity contract whether the wallet owns the identity", async () => {
      const arcade = await withIdentities();
      const { nft, other } = arcade;
      const mint = async (changes: object) => sendGameNft(arcade, "MintGameNft", changes);
      for (const wallet of [other.address, ZeroAddress]) {
        await expectRevert(mint({ wallet }), "NotIdentityOwner", wallet, 1n);
      }
      for (const agentId of [0n, 2n, MaxUint256]) {
        await expectRevert(mint({ agentId }), "ERC721NonexistentToken", agentId);
      }
      expect(await nft.identity()).to.equal(arcade.addresses.identity);
      expect(await nft.balanceOf(other)).to.equal(0n);
      await expectRevert(nft.balanceOf(ZeroAddress), "ERC721InvalidOwner");
    });
  });

  describe("upgrade", () => {
    it("raises score and tier, and counts", async () => {
      const arcade = await withIdentities();
      await expectGameNftMint(arcade, { score: 100n });
      await expectGameNftUpgrade(arcade, { score: 101n }, { sender: arcade.thirdParty });
      await expectGameNftUpgrade(arcade, { score: 2_000n });
      await expectGameNftUpgrade(arcade, { score: MAX_SCORE });
    });

    it("refuses scores that are not higher, so that no message works twice", async () => {
      const arcade = await withIdentities();

      await expectGameNftMint(arcade, { score: 600n });
      const upgrade = await makeGameNftCall(arcade, { score: 700n });
      await expectGameNftUpgrade(arcade, upgrade);
      for (const score of [700n, 699n, 0n]) {
        await expectRevert(sendGameNft(arcade, "UpgradeGameNft", { ...upgrade, score }), "ScoreNotHigher", score, 700n);
      }
      await expectRevert(sendGameNft(arcade, "UpgradeGameNft", { ...upgrade, score: MaxUint256 }), "ScoreOutOfRange");
    });

    it("needs the token, and goes on with its present owner", async () => {
      const arcade = await withIdentities();
      const { nft, player, other } = arcade;
      const upgrade = await makeGameNftCall(arcade, { score: 900n });
      await expectRevert(sendGameNft(arcade, "UpgradeGameNft", upgrade), "ERC721NonexistentToken", 1n);
      await expectGameNftMint(arcade);
      await as(nft, player).transferFrom(player, other, 1n);
      expect([await nft.balanceOf(player), await nft.balanceOf(other)]).to.deep.equal([0n, 1n]);
      await expectRevert(sendGameNft(arcade, "UpgradeGameNft", upgrade), "NotTokenOwner", player.address, 1n);
      await expectGameNftUpgrade(arcade, { ...upgrade, wallet: other.address });
    });
  });
});
