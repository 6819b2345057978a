import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { type Arcade, as, nowSeconds, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
import { expectIdentityMint } from "./helpers/identity.ts";

describe("AgentIdentity: transfer", () => {
  const arcade = useArcade();

  const mintTo = async (arcade: Arcade, who: Arcade["player"]): Promise<bigint> =>
    expectIdentityMint(arcade, { to: who.address }, { sender: who });

  it("moves the identity, clears its wallet, and leaves both wallets without a primary one", async () => {
    const { identity, player, other } = arcade;
    await mintTo(arcade, player);
    const sent = as(identity, player).transferFrom(player, other, 1n);
    await expectEvent(sent, identity, "Transfer", player.address, other.address, 1n);
    await expect(sent).to.not.emit(identity, "Approval");
    await expectEvent(sent, identity, "PrimaryIdentitySet", player.address, 0n);
    await expectEvent(sent, identity, "MetadataSet", 1n, "agentWallet", "agentWallet", "0x");
    expect(await identity.ownerOf(1n)).to.equal(other.address);
    expect(await identity.getAgentWallet(1n)).to.equal(ZeroAddress);
    expect(await identity.primaryIdentity(player)).to.equal(0n);
    expect((await identity.primary(player)).toArray()).to.deep.equal([0n, 0n]);
    expect(await identity.primaryIdentity(other)).to.equal(0n);
    expect([await identity.balanceOf(player), await identity.balanceOf(other)]).to.deep.equal([0n, 1n]);
    expect(await identity.mintNonces(player)).to.equal(1n);
  });

  it("changes no primary that is another identity", async () => {
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
    const { identity, player } = arcade;
    await mintTo(arcade, player);
    await expect(as(identity, player).transferFrom(player, player, 1n)).to.not.emit(identity, "PrimaryIdentitySet");
    expect(await identity.primaryIdentity(player)).to.equal(1n);
    expect(await identity.balanceOf(player)).to.equal(1n);
    expect(await identity.getAgentWallet(1n)).to.equal(ZeroAddress);
  });

  it("tells of a cleared wallet only once", async () => {
    const { identity, player, other } = arcade;
    await mintTo(arcade, player);
    await as(identity, player).transferFrom(player, other, 1n);
    await expect(as(identity, other).transferFrom(other, player, 1n)).to.not.emit(identity, "MetadataSet");
  });

  it("is for owner and approved accounts, and an approval is spent", async () => {
    const { identity, player, other, thirdParty } = arcade;
    await mintTo(arcade, player);
    const unasked = as(identity, thirdParty).transferFrom(player, thirdParty, 1n);
    await expectRevert(unasked, "ERC721InsufficientApproval", thirdParty.address, 1n);
    await as(identity, player).approve(thirdParty, 1n);
    await expectRevert(as(identity, thirdParty).transferFrom(other, thirdParty, 1n), "ERC721IncorrectOwner");
    await as(identity, thirdParty).transferFrom(player, other, 1n);
    expect(await identity.getApproved(1n)).to.equal(ZeroAddress);
    await expectRevert(as(identity, thirdParty).transferFrom(other, thirdParty, 1n), "ERC721InsufficientApproval");
    await expectRevert(as(identity, other).transferFrom(other, ZeroAddress, 1n), "ERC721InvalidReceiver");
    await expectRevert(as(identity, other).transferFrom(other, player, 9n), "ERC721NonexistentToken");
  });

  describe("set the primary identity", () => {
    it("is for the owner of the identity", async () => {
      const { identity, player, other } = arcade;
      await mintTo(arcade, player);
      await mintTo(arcade, player);
      const chosen = as(identity, player).setPrimaryIdentity(2n);
      await expectEvent(chosen, identity, "PrimaryIdentitySet", player.address, 2n);
      expect(await identity.primaryIdentity(player)).to.equal(2n);
      const chosenAt = await nowSeconds(arcade);
      expect(await identity.primarySince(player)).to.equal(chosenAt);
      expect((await identity.primary(player)).toArray()).to.deep.equal([2n, chosenAt]);
      expect(await identity.mintNonces(player)).to.equal(2n);
      // The choice of the present one changes nothing, so that its time goes on.
      await expect(as(identity, player).setPrimaryIdentity(2n)).to.not.emit(identity, "PrimaryIdentitySet");
      expect(await identity.primarySince(player)).to.equal(chosenAt);
      for (const agentId of [1n, 9n, 0n]) {
        await expectRevert(as(identity, other).setPrimaryIdentity(agentId), "NotIdentityOwner", other.address, agentId);
      }
    });
  });
});
