import { expect } from "chai";
import { MaxUint256, ZeroAddress } from "ethers";
import { type Arcade, as, keyOf, nowSeconds, THRESHOLDS, useArcade } from "./helpers/arcade.ts";
import { expectGameNftMint, expectGameNftUpgrade, makeGameNftCall, sendGameNft } from "./helpers/game-nft.ts";
import { mintIdentities } from "./helpers/identity.ts";

/** The highest score that a record holds. */
const MAX_SCORE = 2n ** 32n - 1n;

describe("GameNFT", () => {
  const arcadeOf = useArcade();
  /** The arcade with identities 1 to `count` of the player. */
  const withIdentities = async (count = 1): Promise<Arcade> => {
    await mintIdentities(arcadeOf(), count);
    return arcadeOf();
  };

  describe("mint", () => {
    it("mints to the named wallet, also when another account sends it", async () => {
      const arcade = await withIdentities();
      await expectGameNftMint(arcade, await makeGameNftCall(arcade), { sender: arcade.thirdParty });
      expect(await arcade.nft.balanceOf(arcade.thirdParty)).to.equal(0n);
    });

    it("gives each score its tier", async () => {
      const arcade = await withIdentities(2 * THRESHOLDS.length);
      let agentId = 1n;
      for (const threshold of THRESHOLDS) {
        for (const score of [threshold, threshold + 1n]) {
          await expectGameNftMint(arcade, await makeGameNftCall(arcade, { agentId, score }));
          agentId += 1n;
        }
      }
    });

    it("refuses a score below the first tier, a second mint and what no record can hold", async () => {
      const arcade = await withIdentities(3);
      const { nft } = arcade;
      const mint = (changes: object) => async () =>
        sendGameNft(arcade, "MintGameNft", await makeGameNftCall(arcade, changes));
      await expect(mint({ score: 99n })())
        .to.be.revertedWithCustomError(nft, "ScoreBelowFirstTier")
        .withArgs(99n, 100n);
      expect(await nft.MAX_SCORE()).to.equal(MAX_SCORE);
      await expect(mint({ score: MAX_SCORE + 1n })())
        .to.be.revertedWithCustomError(nft, "ScoreOutOfRange")
        .withArgs(MAX_SCORE + 1n, MAX_SCORE);
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { agentId: 2n, score: MAX_SCORE }));
      await expectGameNftMint(arcade, await makeGameNftCall(arcade));
      await expect(mint({ score: 900n })())
        .to.be.revertedWithCustomError(nft, "AlreadyMinted")
        .withArgs(1n);
    });

    it("asks the identity contract whether the wallet owns the identity", async () => {
      const arcade = await withIdentities();
      const { nft, other } = arcade;
      const mint = async (changes: object) =>
        sendGameNft(arcade, "MintGameNft", await makeGameNftCall(arcade, changes));
      for (const wallet of [other.address, ZeroAddress]) {
        await expect(mint({ wallet })).to.be.revertedWithCustomError(nft, "NotIdentityOwner").withArgs(wallet, 1n);
      }
      for (const agentId of [0n, 2n, MaxUint256]) {
        await expect(mint({ agentId })).to.be.revertedWithCustomError(nft, "ERC721NonexistentToken").withArgs(agentId);
      }
      expect(await nft.identity()).to.equal(arcade.addresses.identity);
      expect(await nft.balanceOf(other)).to.equal(0n);
      await expect(nft.balanceOf(ZeroAddress)).to.be.revertedWithCustomError(nft, "ERC721InvalidOwner");
    });

    it("refuses foreign keys, messages of the other kind, and times outside their bounds", async () => {
      const arcade = arcadeOf();
      const { nft } = arcade;
      const call = await makeGameNftCall(arcade);
      await expect(sendGameNft(arcade, "MintGameNft", call, { key: keyOf("thief") }))
        .to.be.revertedWithCustomError(nft, "InvalidSignature")
        .withArgs(keyOf("thief").address);
      await expect(sendGameNft(arcade, "MintGameNft", call, { key: arcade.keys.score })).to.be.revertedWithCustomError(
        nft,
        "InvalidSignature",
      );
      const now = await nowSeconds(arcade);
      for (const [deadline, error] of [
        [now - 1n, "DeadlineExpired"],
        [now + 90_000n, "DeadlineTooFar"],
      ] as const) {
        await expect(sendGameNft(arcade, "MintGameNft", { ...call, deadline })).to.be.revertedWithCustomError(
          nft,
          error,
        );
      }
    });
  });

  describe("upgrade", () => {
    it("raises score and tier, and counts", async () => {
      const arcade = await withIdentities();
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { score: 100n }));
      await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: 101n }), { sender: arcade.thirdParty });
      await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: 2_000n }));
      await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: MAX_SCORE }));
    });

    it("refuses scores that are not higher, so that no message works twice", async () => {
      const arcade = await withIdentities();
      const { nft } = arcade;
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { score: 600n }));
      const upgrade = await makeGameNftCall(arcade, { score: 700n });
      await expectGameNftUpgrade(arcade, upgrade);
      for (const score of [700n, 699n, 0n]) {
        await expect(sendGameNft(arcade, "UpgradeGameNft", { ...upgrade, score }))
          .to.be.revertedWithCustomError(nft, "ScoreNotHigher")
          .withArgs(score, 700n);
      }
      await expect(
        sendGameNft(arcade, "UpgradeGameNft", { ...upgrade, score: MaxUint256 }),
      ).to.be.revertedWithCustomError(nft, "ScoreOutOfRange");
    });

    it("needs the token, and goes on with its present owner", async () => {
      const arcade = await withIdentities();
      const { nft, player, other } = arcade;
      const upgrade = await makeGameNftCall(arcade, { score: 900n });
      await expect(sendGameNft(arcade, "UpgradeGameNft", upgrade))
        .to.be.revertedWithCustomError(nft, "ERC721NonexistentToken")
        .withArgs(1n);
      await expectGameNftMint(arcade, await makeGameNftCall(arcade));
      await as(nft, player).transferFrom(player, other, 1n);
      expect([await nft.balanceOf(player), await nft.balanceOf(other)]).to.deep.equal([0n, 1n]);
      await expect(sendGameNft(arcade, "UpgradeGameNft", upgrade))
        .to.be.revertedWithCustomError(nft, "NotTokenOwner")
        .withArgs(player.address, 1n);
      await expectGameNftUpgrade(arcade, { ...upgrade, wallet: other.address });
    });
  });
});
