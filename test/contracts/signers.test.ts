import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { as, keyOf, nowSeconds, SIGNER_DELAY_SECONDS, useArcade } from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { DUTIES } from "./helpers/duties.ts";

for (const duty of DUTIES) {
  describe(`${duty.name}: signers`, () => {
    const arcadeOf = useArcade();
    beforeEach(() => duty.prepare(arcadeOf()));

    it("begins with the one signer of its duty", async () => {
      const arcade = arcadeOf();
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

    it("rotates without a moment in which no key signs", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { admin, guardian, connection } = arcade;
      const [old, next] = [duty.keyOf(arcade), arcade.keys.next];
      const sent = as(contract, admin).scheduleSigner(next.address, false);
      await sent;
      const validFrom = (await nowSeconds(arcade)) + SIGNER_DELAY_SECONDS;
      await expect(sent).to.emit(contract, "SignerScheduled").withArgs(next.address, false, validFrom);
      expect((await contract.alternateSigner()).toArray()).to.deep.equal([next.address, false, validFrom]);

      // Not before its time.
      expect(await contract.isSigner(next.address)).to.equal(false);
      await duty.expectCall(arcade, 1n, old);
      await connection.networkHelpers.time.increaseTo(validFrom - 3n);
      await connection.networkHelpers.time.setNextBlockTimestamp(validFrom - 1n);
      await expect(duty.send(arcade, 2n, next))
        .to.be.revertedWithCustomError(contract, "InvalidSignature")
        .withArgs(next.address);
      await connection.networkHelpers.time.increaseTo(validFrom - 1n);
      await expect(as(contract, admin).promoteSigner.staticCall({ blockTag: "latest" }))
        .to.be.revertedWithCustomError(contract, "SignerNotYetValid")
        .withArgs(validFrom);
      await connection.networkHelpers.time.increaseTo(validFrom);

      // Both, before and after the change of places.
      expect(await contract.isSigner(next.address)).to.equal(true);
      await duty.expectCall(arcade, 3n, old);
      await duty.expectCall(arcade, 4n, next);
      await expect(as(contract, admin).promoteSigner())
        .to.emit(contract, "SignerPromoted")
        .withArgs(next.address, old.address);
      expect((await contract.signer()).account).to.equal(next.address);
      await duty.expectCall(arcade, 5n, old);
      await duty.expectCall(arcade, 6n, next);

      // Then only the new one.
      await expect(as(contract, guardian).revokeSigner(old.address))
        .to.emit(contract, "SignerRevocation")
        .withArgs(old.address, guardian.address);
      await expect(duty.send(arcade, 7n, old))
        .to.be.revertedWithCustomError(contract, "InvalidSignature")
        .withArgs(old.address);
      await duty.expectCall(arcade, 8n, next);
    });

    it("lets a new signer count from its very second on", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { time } = arcade.connection.networkHelpers;
      const { next } = arcade.keys;
      await as(contract, arcade.admin).scheduleSigner(next.address, false);
      const validFrom = (await nowSeconds(arcade)) + SIGNER_DELAY_SECONDS;
      await time.increaseTo(validFrom - 1n);
      await time.setNextBlockTimestamp(validFrom);
      await duty.send(arcade, 1n, next);
      expect(await nowSeconds(arcade)).to.equal(validFrom);
      await as(contract, arcade.admin).promoteSigner.staticCall({ blockTag: "latest" });
    });

    it("revokes the first signer at once and forever, and recovers with a new one", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { admin, guardian, connection } = arcade;
      const [old, next] = [duty.keyOf(arcade), arcade.keys.next];
      await as(contract, guardian).revokeSigner(old.address);
      expect((await contract.signer()).toArray()).to.deep.equal([ZeroAddress, false]);
      expect(await contract.isRevokedSigner(old.address)).to.equal(true);
      await expect(duty.send(arcade, 1n, old)).to.be.revertedWithCustomError(contract, "InvalidSignature");
      await expect(as(contract, admin).scheduleSigner(old.address, false))
        .to.be.revertedWithCustomError(contract, "SignerRevoked")
        .withArgs(old.address);
      await as(contract, admin).scheduleSigner(next.address, false);
      await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 2n, next);
      await as(contract, admin).promoteSigner();
      expect((await contract.alternateSigner()).toArray()).to.deep.equal([ZeroAddress, false, 0n]);
      await duty.expectCall(arcade, 3n, next);
    });

    it("revokes an alternate before and after it counts", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { admin, guardian, keys, connection } = arcade;
      await as(contract, admin).scheduleSigner(keys.next.address, false);
      await as(contract, guardian).revokeSigner(keys.next.address);
      await as(contract, admin).scheduleSigner(keyOf("third").address, false);
      await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
      for (const key of [keys.next, keyOf("thirdParty")]) {
        await expect(duty.send(arcade, 1n, key)).to.be.revertedWithCustomError(contract, "InvalidSignature");
      }
      await duty.expectCall(arcade, 2n, keyOf("third"));
      await as(contract, guardian).revokeSigner(keyOf("third").address);
      await expect(duty.send(arcade, 3n, keyOf("third"))).to.be.revertedWithCustomError(contract, "InvalidSignature");
      await duty.expectCall(arcade, 4n, duty.keyOf(arcade));
    });

    it("refuses what is not a rotation", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { admin, guardian, thirdParty, keys } = arcade;
      const first = duty.keyOf(arcade).address;
      const mine = as(contract, admin);
      await expect(mine.promoteSigner()).to.be.revertedWithCustomError(contract, "UnknownSigner").withArgs(ZeroAddress);
      await expect(mine.revokeSigner(ZeroAddress)).to.be.revertedWithCustomError(contract, "ZeroAddress");
      await expect(mine.scheduleSigner(ZeroAddress, false)).to.be.revertedWithCustomError(contract, "ZeroAddress");
      await expect(mine.scheduleSigner(first, false))
        .to.be.revertedWithCustomError(contract, "SignerInUse")
        .withArgs(first);
      await mine.scheduleSigner(keys.next.address, true);
      await expect(mine.scheduleSigner(keys.next.address, true)).to.be.revertedWithCustomError(contract, "SignerInUse");
      await expect(mine.scheduleSigner(first, false)).to.be.revertedWithCustomError(contract, "SignerInUse");
      await expect(mine.clearSignerBan(keys.next.address))
        .to.be.revertedWithCustomError(contract, "UnknownSigner")
        .withArgs(keys.next.address);
      await expect(mine.scheduleSigner(thirdParty.address, false))
        .to.be.revertedWithCustomError(contract, "AlternateOccupied")
        .withArgs(keys.next.address);
      for (const call of [
        (c: AnyContract) => c.scheduleSigner(thirdParty.address, false),
        (c: AnyContract) => c.promoteSigner(),
        (c: AnyContract) => c.clearSignerBan(thirdParty.address),
      ]) {
        await expect(call(as(contract, guardian))).to.be.revertedWithCustomError(
          contract,
          "AccessControlUnauthorizedAccount",
        );
      }
      await expect(as(contract, thirdParty).revokeSigner(first))
        .to.be.revertedWithCustomError(contract, "NotGuardian")
        .withArgs(thirdParty.address);
    });

    it("corrects a signer that was named as a contract by mistake, without a ban", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { admin, keys, connection } = arcade;
      const mine = as(contract, admin);
      await mine.scheduleSigner(keys.next.address, true);
      const sent = mine.scheduleSigner(keys.next.address, false);
      await sent;
      const validFrom = (await nowSeconds(arcade)) + SIGNER_DELAY_SECONDS;
      await expect(sent).to.emit(contract, "SignerScheduled").withArgs(keys.next.address, false, validFrom);
      await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 1n, keys.next);
      // The same for the first signer: it is the key again after it was promoted as a contract.
      await mine.promoteSigner();
      await mine.revokeSigner(duty.keyOf(arcade).address);
      await mine.scheduleSigner(keys.next.address, true);
      await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
      await mine.promoteSigner();
      expect((await contract.signer()).toArray()).to.deep.equal([keys.next.address, true]);
      expect((await contract.alternateSigner()).toArray()).to.deep.equal([ZeroAddress, false, 0n]);
      await expect(duty.send(arcade, 2n, keys.next)).to.be.revertedWithCustomError(contract, "InvalidSignature");
      await mine.scheduleSigner(keys.next.address, false);
      await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 3n, keys.next);
      await mine.promoteSigner();
      expect((await contract.signer()).toArray()).to.deep.equal([keys.next.address, false]);
    });

    it("bans a key that leaked before it was scheduled, and the admin clears a ban", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { admin, guardian, keys, connection } = arcade;
      const leaked = keys.next.address;
      await expect(as(contract, guardian).revokeSigner(leaked))
        .to.emit(contract, "SignerRevocation")
        .withArgs(leaked, guardian.address);
      expect(await contract.isRevokedSigner(leaked)).to.equal(true);
      await expect(as(contract, admin).scheduleSigner(leaked, false))
        .to.be.revertedWithCustomError(contract, "SignerRevoked")
        .withArgs(leaked);
      await expect(as(contract, admin).clearSignerBan(leaked))
        .to.emit(contract, "SignerBanCleared")
        .withArgs(leaked, admin.address);
      expect(await contract.isRevokedSigner(leaked)).to.equal(false);
      expect(await contract.isSigner(leaked)).to.equal(false);
      await as(contract, admin).scheduleSigner(leaked, false);
      await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 1n, keys.next);
    });

    it("survives a stolen guardian that revokes every signer: the admin restores them", async () => {
      const arcade = arcadeOf();
      const contract = duty.contractOf(arcade);
      const { admin, guardian, keys, connection } = arcade;
      const { address } = duty.keyOf(arcade);
      await as(contract, admin).scheduleSigner(keys.next.address, false);
      for (const account of [address, keys.next.address]) await as(contract, guardian).revokeSigner(account);
      await as(contract, admin).revokeRole(await contract.GUARDIAN_ROLE(), guardian);
      await as(contract, admin).clearSignerBan(address);
      await as(contract, admin).scheduleSigner(address, false);
      await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
      await duty.expectCall(arcade, 1n, duty.keyOf(arcade));
      await expect(as(contract, guardian).revokeSigner(address)).to.be.revertedWithCustomError(contract, "NotGuardian");
    });
  });
}
