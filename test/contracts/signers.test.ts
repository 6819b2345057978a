import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { as, keyOf, nowSeconds, SIGNER_DELAY_SECONDS, useArcade } from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { DUTIES } from "./helpers/duties.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";

for (const duty of DUTIES) {
  describe(`${duty.name}: signers`, () => {
    const arcade = useArcade();
    beforeEach(() => duty.prepare(arcade));

    it("begins with the one signer of its duty", async () => {
      const contract = duty.contractOf(arcade);
      const { address } = duty.keyOf(arcade);
      expect((await contract.signer()).toArray()).to.deep.equal([address, false]);
      expect((await contract.alternateSigner()).toArray()).to.deep.equal([ZeroAddress, false, 0n]);
      expect(await contract.isSigner(address)).to.equal(true);
      expect(await contract.isSigner(ZeroAddress)).to.equal(false);
      expect(await contract.isSigner(arcade.thirdParty.address)).to.equal(false);
      expect(await contract.signerDelay()).to.equal(SIGNER_DELAY_SECONDS);
      expect(await contract.MAX_DEADLINE_SECONDS()).to.equal(86_400n);
    });

    it("refuses foreign keys", async () => {
      for (const key of [keyOf("thief"), ...Object.values(arcade.keys)]) {
        if (key.address === duty.keyOf(arcade).address) continue;
        await expectRevert(duty.send(arcade, 1n, key), "InvalidSignature", key.address);
      }
    });

    it("accepts a deadline from now to a day ahead", async () => {
      const key = duty.keyOf(arcade);
      const at = (await nowSeconds(arcade)) + 100n;
      for (const [deadline, error, ...bound] of [
        [at - 1n, "DeadlineExpired"],
        [at + 86_401n, "DeadlineTooFar", at + 86_400n],
      ] as const) {
        await arcade.time.setNextBlockTimestamp(at);
        await expectRevert(duty.send(arcade, 1n, key, { deadline }), error, deadline, ...bound);
      }
      await arcade.time.setNextBlockTimestamp(at);
      await duty.expectCall(arcade, 1n, key, { deadline: at });
      await arcade.time.setNextBlockTimestamp(at + 1n);
      await duty.expectCall(arcade, 2n, key, { deadline: at + 1n + 86_400n });
    });

    it("rotates without a moment in which no key signs", async () => {
      const contract = duty.contractOf(arcade);
      const { admin, guardian, time } = arcade;
      const [old, next] = [duty.keyOf(arcade), arcade.keys.next];
      const sent = as(contract, admin).scheduleSigner(next.address, false);
      await sent;
      const validFrom = (await nowSeconds(arcade)) + SIGNER_DELAY_SECONDS;
      await expectEvent(sent, contract, "SignerScheduled", next.address, false, validFrom);
      expect((await contract.alternateSigner()).toArray()).to.deep.equal([next.address, false, validFrom]);

      // Not before its time.
      expect(await contract.isSigner(next.address)).to.equal(false);
      await duty.expectCall(arcade, 1n, old);
      await time.increaseTo(validFrom - 3n);
      await time.setNextBlockTimestamp(validFrom - 1n);
      await expectRevert(duty.send(arcade, 2n, next), "InvalidSignature", next.address);
      await time.increaseTo(validFrom - 1n);
      const early = as(contract, admin).promoteSigner.staticCall({ blockTag: "latest" });
      await expectRevert(early, "SignerNotYetValid", validFrom);
      await time.increaseTo(validFrom);

      // Both, before and after the change of places.
      expect(await contract.isSigner(next.address)).to.equal(true);
      await duty.expectCall(arcade, 3n, old);
      await duty.expectCall(arcade, 4n, next);
      await expectEvent(as(contract, admin).promoteSigner(), contract, "SignerPromoted", next.address, old.address);
      expect((await contract.signer()).account).to.equal(next.address);
      await duty.expectCall(arcade, 5n, old);
      await duty.expectCall(arcade, 6n, next);

      // Then only the new one.
      const revoked = as(contract, guardian).revokeSigner(old.address);
      await expectEvent(revoked, contract, "SignerRevocation", old.address, guardian.address);
      await expectRevert(duty.send(arcade, 7n, old), "InvalidSignature", old.address);
      await duty.expectCall(arcade, 8n, next);
    });

    it("lets a new signer count from its very second on", async () => {
      const contract = duty.contractOf(arcade);
      const { next } = arcade.keys;
      await as(contract, arcade.admin).scheduleSigner(next.address, false);
      const validFrom = (await nowSeconds(arcade)) + SIGNER_DELAY_SECONDS;
      await arcade.time.increaseTo(validFrom - 1n);
      await arcade.time.setNextBlockTimestamp(validFrom);
      await duty.send(arcade, 1n, next);
      expect(await nowSeconds(arcade)).to.equal(validFrom);
      await as(contract, arcade.admin).promoteSigner.staticCall({ blockTag: "latest" });
    });

    it("revokes the first signer at once and forever, and recovers with a new one", async () => {
      const contract = duty.contractOf(arcade);
      const { admin, guardian, time } = arcade;
      const [old, next] = [duty.keyOf(arcade), arcade.keys.next];
      await as(contract, guardian).revokeSigner(old.address);
      expect((await contract.signer()).toArray()).to.deep.equal([ZeroAddress, false]);
      expect(await contract.isRevokedSigner(old.address)).to.equal(true);
      await expectRevert(duty.send(arcade, 1n, old), "InvalidSignature");
      await expectRevert(as(contract, admin).scheduleSigner(old.address, false), "SignerRevoked", old.address);
      await as(contract, admin).scheduleSigner(next.address, false);
      await time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 2n, next);
      await as(contract, admin).promoteSigner();
      expect((await contract.alternateSigner()).toArray()).to.deep.equal([ZeroAddress, false, 0n]);
      await duty.expectCall(arcade, 3n, next);
    });

    it("revokes an alternate before and after it counts", async () => {
      const contract = duty.contractOf(arcade);
      const { admin, guardian, keys, time } = arcade;
      await as(contract, admin).scheduleSigner(keys.next.address, false);
      await as(contract, guardian).revokeSigner(keys.next.address);
      await as(contract, admin).scheduleSigner(keyOf("third").address, false);
      await time.increase(SIGNER_DELAY_SECONDS);
      for (const key of [keys.next, keyOf("thirdParty")]) {
        await expectRevert(duty.send(arcade, 1n, key), "InvalidSignature");
      }
      await duty.expectCall(arcade, 2n, keyOf("third"));
      await as(contract, guardian).revokeSigner(keyOf("third").address);
      await expectRevert(duty.send(arcade, 3n, keyOf("third")), "InvalidSignature");
      await duty.expectCall(arcade, 4n, duty.keyOf(arcade));
    });

    it("refuses what is not a rotation", async () => {
      const contract = duty.contractOf(arcade);
      const { admin, guardian, thirdParty, keys } = arcade;
      const first = duty.keyOf(arcade).address;
      const mine = as(contract, admin);
      await expectRevert(mine.promoteSigner(), "UnknownSigner", ZeroAddress);
      await expectRevert(mine.revokeSigner(ZeroAddress), "ZeroAddress");
      await expectRevert(mine.scheduleSigner(ZeroAddress, false), "ZeroAddress");
      await expectRevert(mine.scheduleSigner(first, false), "SignerInUse", first);
      await mine.scheduleSigner(keys.next.address, true);
      await expectRevert(mine.scheduleSigner(keys.next.address, true), "SignerInUse");
      await expectRevert(mine.scheduleSigner(first, false), "SignerInUse");
      await expectRevert(mine.clearSignerBan(keys.next.address), "UnknownSigner", keys.next.address);
      await expectRevert(mine.scheduleSigner(thirdParty.address, false), "AlternateOccupied", keys.next.address);
      for (const call of [
        (c: AnyContract) => c.scheduleSigner(thirdParty.address, false),
        (c: AnyContract) => c.promoteSigner(),
        (c: AnyContract) => c.clearSignerBan(thirdParty.address),
      ]) {
        await expectRevert(call(as(contract, guardian)), "AccessControlUnauthorizedAccount");
      }
      await expectRevert(as(contract, thirdParty).revokeSigner(first), "NotGuardian", thirdParty.address);
    });

    it("corrects a signer that was named as a contract by mistake, without a ban", async () => {
      const contract = duty.contractOf(arcade);
      const { admin, keys, time } = arcade;
      const mine = as(contract, admin);
      await mine.scheduleSigner(keys.next.address, true);
      const sent = mine.scheduleSigner(keys.next.address, false);
      await sent;
      const validFrom = (await nowSeconds(arcade)) + SIGNER_DELAY_SECONDS;
      await expectEvent(sent, contract, "SignerScheduled", keys.next.address, false, validFrom);
      await time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 1n, keys.next);
      // The same for the first signer: it is the key again after it was promoted as a contract.
      await mine.promoteSigner();
      await mine.revokeSigner(duty.keyOf(arcade).address);
      await mine.scheduleSigner(keys.next.address, true);
      await time.increase(SIGNER_DELAY_SECONDS);
      await mine.promoteSigner();
      expect((await contract.signer()).toArray()).to.deep.equal([keys.next.address, true]);
      expect((await contract.alternateSigner()).toArray()).to.deep.equal([ZeroAddress, false, 0n]);
      await expectRevert(duty.send(arcade, 2n, keys.next), "InvalidSignature");
      await mine.scheduleSigner(keys.next.address, false);
      await time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 3n, keys.next);
      await mine.promoteSigner();
      expect((await contract.signer()).toArray()).to.deep.equal([keys.next.address, false]);
    });

    it("bans a key that leaked before it was scheduled, and the admin clears a ban", async () => {
      const contract = duty.contractOf(arcade);
      const { admin, guardian, keys, time } = arcade;
      const leaked = keys.next.address;
      const revoked = as(contract, guardian).revokeSigner(leaked);
      await expectEvent(revoked, contract, "SignerRevocation", leaked, guardian.address);
      expect(await contract.isRevokedSigner(leaked)).to.equal(true);
      await expectRevert(as(contract, admin).scheduleSigner(leaked, false), "SignerRevoked", leaked);
      const cleared = as(contract, admin).clearSignerBan(leaked);
      await expectEvent(cleared, contract, "SignerBanCleared", leaked, admin.address);
      expect(await contract.isRevokedSigner(leaked)).to.equal(false);
      expect(await contract.isSigner(leaked)).to.equal(false);
      await as(contract, admin).scheduleSigner(leaked, false);
      await time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 1n, keys.next);
    });

    it("survives a stolen guardian that revokes every signer: the admin restores them", async () => {
      const contract = duty.contractOf(arcade);
      const { admin, guardian, keys, time } = arcade;
      const { address } = duty.keyOf(arcade);
      await as(contract, admin).scheduleSigner(keys.next.address, false);
      for (const account of [address, keys.next.address]) await as(contract, guardian).revokeSigner(account);
      await as(contract, admin).revokeRole(await contract.GUARDIAN_ROLE(), guardian);
      await as(contract, admin).clearSignerBan(address);
      await as(contract, admin).scheduleSigner(address, false);
      await time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 1n, duty.keyOf(arcade));
      await expectRevert(as(contract, guardian).revokeSigner(address), "NotGuardian");
    });
  });
}
