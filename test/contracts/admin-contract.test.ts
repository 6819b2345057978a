import { expect } from "chai";
import { deploySafe } from "./helpers/admin-safe.ts";
import { type AdminContract, deployTimelock } from "./helpers/admin-timelock.ts";
import { type Arcade, as, LIMITS, SIGNER_DELAY_SECONDS, TOKEN, useArcade } from "./helpers/arcade.ts";
import { expectRevert } from "./helpers/expect.ts";
import { expectSnapshot, sendSnapshot } from "./helpers/snapshot.ts";

const ADMIN_DELAY_SECONDS = 3_600n;

/** One suite for every kind of contract that production makes its admin. */
const KINDS: { readonly [name: string]: (arcade: Arcade) => Promise<AdminContract> } = {
  "OpenZeppelin's timelock": deployTimelock,
  "a Safe of two out of three": deploySafe,
};

for (const [name, deployAdmin] of Object.entries(KINDS)) {
  describe(`${name} as the admin`, () => {
    const arcade = useArcade();
    let holder: AdminContract;

    beforeEach(async () => {
      const { admin, identity, nft, rewards, time } = arcade;
      holder = await deployAdmin(arcade);
      for (const contract of [identity, nft, rewards]) {
        await as(contract, admin).beginDefaultAdminTransfer(holder.address);
      }
      await time.increase(ADMIN_DELAY_SECONDS + 1n);
      for (const contract of [identity, nft, rewards]) await holder.act(contract, "acceptDefaultAdminTransfer");
    });

    it("is the only holder of the role after the hand-over", async () => {
      const { admin, identity, nft, rewards } = arcade;
      for (const contract of [identity, nft, rewards]) {
        expect(await contract.defaultAdmin()).to.equal(holder.address);
        expect(await contract.hasRole(await contract.DEFAULT_ADMIN_ROLE(), admin.address)).to.equal(false);
        await expectRevert(as(contract, admin).unpause(), "AccessControlUnauthorizedAccount");
      }
    });

    it("unpauses what the guardian has paused, by its own way only", async () => {
      const { rewards, guardian } = arcade;
      await as(rewards, guardian).pause();
      await holder.expectNoShortcut(rewards, "unpause");
      expect(await rewards.paused()).to.equal(true);
      await holder.act(rewards, "unpause");
      await expectSnapshot(arcade);
    });

    it("raises caps that the guardian has lowered, by its own way only", async () => {
      const { rewards, guardian } = arcade;
      await as(rewards, guardian).setCaps(TOKEN, TOKEN);
      const raised = [LIMITS.dailyCap * 2n, LIMITS.weeklyCap * 2n];
      await holder.expectNoShortcut(rewards, "setCaps", raised);
      expect((await rewards.caps()).toArray()).to.deep.equal([TOKEN, TOKEN]);
      await holder.act(rewards, "setCaps", raised);
      expect((await rewards.caps()).toArray()).to.deep.equal(raised);
    });

    it("adds a signer, which then waits for the contract's own delay as well", async () => {
      const { rewards, keys, time } = arcade;
      const next = keys.next.address;
      await holder.expectNoShortcut(rewards, "scheduleSigner", [next, false]);
      expect((await rewards.alternateSigner()).account).to.not.equal(next);
      await holder.act(rewards, "scheduleSigner", [next, false]);
      await expectRevert(sendSnapshot(arcade, {}, { key: keys.next }), "InvalidSignature");
      await time.increase(SIGNER_DELAY_SECONDS);
      await expectSnapshot(arcade, {}, { key: keys.next });
      await holder.act(rewards, "promoteSigner");
      expect((await rewards.signer()).account).to.equal(next);
    });

    it("withdraws the float, by its own way only", async () => {
      const { rewards, token, thirdParty } = arcade;
      const float = await rewards.floatBalance();
      const args = [thirdParty.address, float];
      await holder.expectNoShortcut(rewards, "withdraw", args);
      expect(await rewards.floatBalance()).to.equal(float);
      await holder.act(rewards, "withdraw", args);
      expect(await rewards.floatBalance()).to.equal(0n);
      expect(await token.balanceOf(thirdParty.address)).to.equal(float);
    });
  });
}
