import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { type Arcade, as, nowSeconds, useArcade } from "./helpers/arcade.ts";
import { expectIdentityMint, makeIdentityMint } from "./helpers/identity.ts";

describe("AgentIdentity: transfer", () => {
  const arcadeOf = useArcade();

  const mintTo = async (arcade: Arcade, who: Arcade["player"]): Promise<bigint> =>
    expectIdentityMint(arcade, await makeIdentityMint(arcade, { to: who.address }), { sender: who });

  it("moves the identity, clears its wallet, and leaves both wallets without a primary one", async () => {
    const arcade = arcadeOf();
    const { identity, player, other } = arcade;
    await mintTo(arcade, player);
    const sent = as(identity, player).transferFrom(player, other, 1n);
    await expect(sent).to.emit(identity, "Transfer").withArgs(player.address, other.address, 1n);
    await expect(sent).to.not.emit(identity, "Approval");
    await expect(sent).to.emit(identity, "PrimaryIdentitySet").withArgs(player.address, 0n);
    await expect(sent).to.emit(identity, "MetadataSet").withArgs(1n, "agentWallet", "agentWallet", "0x");
    expect(await identity.ownerOf(1n)).to.equal(other.address);
    expect(await identity.getAgentWallet(1n)).to.equal(ZeroAddress);
    expect(await identity.primaryIdentity(player)).to.equal(0n);
    expect((await identity.primary(player)).toArray()).to.deep.equal([0n, 0n]);
    expect(await identity.primaryIdentity(other)).to.equal(0n);
    expect([await identity.balanceOf(player), await identity.balanceOf(other)]).to.deep.equal([0n, 1n]);
    expect(await identity.mintNonces(player)).to.equal(1n);
  });

  it("changes no primary that is another identity", async () => {
    const arcade = arcadeOf();
    const { identity, player, other } = arcade;
    await mintTo(arcade, player);
    await mintTo(arcade, player);
    await mintTo(arcade, other);
    await expect(as(identity, player).transferFrom(player, other, 2n)).to.not.emit(identity, "PrimaryIdentitySet");
    expect(await identity.primaryIdentity(player)).to.equal(1n);
    expect(await identity.primaryIdentity(other)).to.equal(3n);
    expect([await identity.balanceOf(player), await identity.balanceOf(other)]).to.deep.equal([1n, 2n]);
  });

  it("changes nothing but the wallet when it goes to its owner", async () => {
    const arcade = arcadeOf();
    const { identity, player } = arcade;
    await mintTo(arcade, player);
    await expect(as(identity, player).transferFrom(player, player, 1n)).to.not.emit(identity, "PrimaryIdentitySet");
    expect(await identity.primaryIdentity(player)).to.equal(1n);
    expect(await identity.balanceOf(player)).to.equal(1n);
    expect(await identity.getAgentWallet(1n)).to.equal(ZeroAddress);
  });

  it("tells of a cleared wallet only once", async () => {
    const arcade = arcadeOf();
    const { identity, player, other } = arcade;
    await mintTo(arcade, player);
    await as(identity, player).transferFrom(player, other, 1n);
    await expect(as(identity, other).transferFrom(other, player, 1n)).to.not.emit(identity, "MetadataSet");
  });

  it("is for owner and approved accounts, and an approval is spent", async () => {
    const arcade = arcadeOf();
    const { identity, player, other, thirdParty } = arcade;
    await mintTo(arcade, player);
    await expect(as(identity, thirdParty).transferFrom(player, thirdParty, 1n))
      .to.be.revertedWithCustomError(identity, "ERC721InsufficientApproval")
      .withArgs(thirdParty.address, 1n);
    await as(identity, player).approve(thirdParty, 1n);
    await expect(as(identity, thirdParty).transferFrom(other, thirdParty, 1n)).to.be.revertedWithCustomError(
      identity,
      "ERC721IncorrectOwner",
    );
    await as(identity, thirdParty).transferFrom(player, other, 1n);
    expect(await identity.getApproved(1n)).to.equal(ZeroAddress);
    await expect(as(identity, thirdParty).transferFrom(other, thirdParty, 1n)).to.be.revertedWithCustomError(
      identity,
      "ERC721InsufficientApproval",
    );
    await expect(as(identity, other).transferFrom(other, ZeroAddress, 1n)).to.be.revertedWithCustomError(
      identity,
      "ERC721InvalidReceiver",
    );
    await expect(as(identity, other).transferFrom(other, player, 9n)).to.be.revertedWithCustomError(
      identity,
      "ERC721NonexistentToken",
    );
  });

  describe("set the primary identity", () => {
    it("is for the owner of the identity", async () => {
      const arcade = arcadeOf();
      const { identity, player, other } = arcade;
      await mintTo(arcade, player);
      await mintTo(arcade, player);
      await expect(as(identity, player).setPrimaryIdentity(2n))
        .to.emit(identity, "PrimaryIdentitySet")
        .withArgs(player.address, 2n);
      expect(await identity.primaryIdentity(player)).to.equal(2n);
      const chosenAt = await nowSeconds(arcade);
      expect(await identity.primarySince(player)).to.equal(chosenAt);
      expect((await identity.primary(player)).toArray()).to.deep.equal([2n, chosenAt]);
      expect(await identity.mintNonces(player)).to.equal(2n);
      // The choice of the present one changes nothing, so that its time goes on.
      await expect(as(identity, player).setPrimaryIdentity(2n)).to.not.emit(identity, "PrimaryIdentitySet");
      expect(await identity.primarySince(player)).to.equal(chosenAt);
      for (const agentId of [1n, 9n, 0n]) {
        await expect(as(identity, other).setPrimaryIdentity(agentId))
          .to.be.revertedWithCustomError(identity, "NotIdentityOwner")
          .withArgs(other.address, agentId);
      }
    });
  });
});
