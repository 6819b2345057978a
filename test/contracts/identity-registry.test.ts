import { expect } from "chai";
import { toUtf8Bytes, ZeroAddress } from "ethers";
import { type Arcade, as, BASE_URI, deployContract, keyOf, nowSeconds, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
import { DIGEST, expectIdentityMint } from "./helpers/identity.ts";
import { signMessage } from "./helpers/sign.ts";

const REGISTER = { empty: "register()", uri: "register(string)", full: "register(string,(string,bytes)[])" } as const;

describe("AgentIdentity: ERC-8004 registry", () => {
  const arcade = useArcade();

  const openRegistration = async ({ identity, admin }: Arcade) =>
    expectEvent(as(identity, admin).setOpenRegistration(true), identity, "OpenRegistrationSet", true);

  describe("register", () => {
    it("is closed until the admin opens it, and the guardian can close it", async () => {
      const { identity, player, guardian } = arcade;
      for (const args of [[REGISTER.empty], [REGISTER.uri, "u"], [REGISTER.full, "u", []]] as const) {
        const [name, ...rest] = args;
        await expectRevert(as(identity, player)[name](...rest), "RegistrationRequiresSignature");
      }
      await expectRevert(as(identity, guardian).setOpenRegistration(true), "AccessControlUnauthorizedAccount");
      await openRegistration(arcade);
      expect(await identity.openRegistration()).to.equal(true);
      await as(identity, guardian).setOpenRegistration(false);
      await expectRevert(as(identity, player)[REGISTER.empty](), "RegistrationRequiresSignature");
      await expectRevert(as(identity, player).setOpenRegistration(false), "NotGuardian", player.address);
    });

    it("registers without URI, with one, and with metadata", async () => {
      const { identity, player } = arcade;
      await openRegistration(arcade);
      const mine = as(identity, player);
      await expectEvent(mine[REGISTER.empty](), identity, "Registered", 1n, "", player.address);
      expect(await identity.tokenURI(1n)).to.equal("");
      expect(await identity.primaryIdentity(player)).to.equal(1n);
      await expectEvent(mine[REGISTER.uri]("ipfs://a"), identity, "Registered", 2n, "ipfs://a", player.address);
      expect(await identity.tokenURI(2n)).to.equal("ipfs://a");
      const entries = [{ metadataKey: "model", metadataValue: "0x1234" }];
      const full = mine[REGISTER.full]("ipfs://b", entries);
      await expectEvent(full, identity, "Registered", 3n, "ipfs://b", player.address);
      await expectEvent(full, identity, "MetadataSet", 3n, "model", "model", "0x1234");
      await expectEvent(full, identity, "MetadataSet", 3n, "agentWallet", "agentWallet", player.address.toLowerCase());
      expect(await identity.getMetadata(3n, "model")).to.equal("0x1234");
      expect(await identity.primaryIdentity(player)).to.equal(1n);
      expect(await identity.balanceOf(player)).to.equal(3n);
      expect(await identity.totalSupply()).to.equal(3n);
      await expectEvent(mine[REGISTER.uri]("/"), identity, "Transfer", ZeroAddress, player.address, 4n);
      expect(await identity.tokenURI(4n)).to.equal("/");
    });

    it("refuses the reserved key, and everything while paused", async () => {
      const { identity, player, guardian } = arcade;
      await openRegistration(arcade);
      const reserved = [{ metadataKey: "agentWallet", metadataValue: "0x" }];
      await expectRevert(as(identity, player)[REGISTER.full]("u", reserved), "ReservedMetadataKey", "agentWallet");
      await as(identity, guardian).pause();
      await expectRevert(as(identity, player)[REGISTER.empty](), "EnforcedPause");
    });
  });

  describe("set metadata and URI", () => {
    it("is for the owner and approved operators", async () => {
      const { identity, player, other, thirdParty } = arcade;
      await expectIdentityMint(arcade);
      for (const call of [
        (contract: typeof identity) => contract.setAgentURI(1n, "ipfs://new"),
        (contract: typeof identity) => contract.setMetadata(1n, "model", toUtf8Bytes("m1")),
        (contract: typeof identity) => contract.unsetAgentWallet(1n),
      ]) {
        await expectRevert(call(as(identity, thirdParty)), "ERC721InsufficientApproval", thirdParty.address, 1n);
      }
      await as(identity, player).setApprovalForAll(other, true);
      const sent = as(identity, other).setAgentURI(1n, "ipfs://new");
      await expectEvent(sent, identity, "URIUpdated", 1n, "ipfs://new", other.address);
      await expectEvent(sent, identity, "MetadataUpdate", 1n);
      expect(await identity.tokenURI(1n)).to.equal("ipfs://new");
      const written = as(identity, player).setMetadata(1n, "model", "0xab");
      await expectEvent(written, identity, "MetadataSet", 1n, "model", "model", "0xab");
      // An emptied URI is the one of the mint again, in the event as in the view.
      const minted = `${BASE_URI}${DIGEST.slice(2)}.json`;
      await expectEvent(as(identity, player).setAgentURI(1n, ""), identity, "URIUpdated", 1n, minted, player.address);
      expect(await identity.tokenURI(1n)).to.equal(minted);
      expect(await identity.getMetadata(1n, "model")).to.equal("0xab");
      expect(await identity.getMetadata(1n, "absent")).to.equal("0x");
      await expectRevert(as(identity, player).setMetadata(1n, "agentWallet", "0xab"), "ReservedMetadataKey");
    });
  });

  describe("set the agent's wallet", () => {
    const sign = async (arcade: Arcade, key: ReturnType<typeof keyOf>, changes: object = {}) => {
      const deadline = (await nowSeconds(arcade)) + 200n;
      const message = { agentId: 1n, newWallet: key.address, owner: arcade.player.address, deadline, ...changes };
      return { ...message, signature: await signMessage(arcade, key, "AgentWalletSet", message) };
    };

    it("takes the new wallet's signature", async () => {
      const { identity, player } = arcade;
      await expectIdentityMint(arcade);
      const { newWallet, deadline, signature } = await sign(arcade, keyOf("wallet"));
      const taken = as(identity, player).setAgentWallet(1n, newWallet, deadline, signature);
      await expectEvent(taken, identity, "MetadataSet", 1n, "agentWallet", "agentWallet", newWallet.toLowerCase());
      expect(await identity.getAgentWallet(1n)).to.equal(newWallet);
      expect(await identity.getMetadata(1n, "agentWallet")).to.equal(newWallet.toLowerCase());
      const unset = as(identity, player).unsetAgentWallet(1n);
      await expectEvent(unset, identity, "MetadataSet", 1n, "agentWallet", "agentWallet", "0x");
      expect(await identity.getAgentWallet(1n)).to.equal(ZeroAddress);
      expect(await identity.getMetadata(1n, "agentWallet")).to.equal("0x");
    });

    it("refuses other signers, other owners, third parties, zero and times beyond five minutes", async () => {
      const { identity, player, thirdParty } = arcade;
      await expectIdentityMint(arcade);
      const key = keyOf("wallet");
      const good = await sign(arcade, key);
      const set = (who: typeof player, { newWallet, deadline, signature }: typeof good) =>
        as(identity, who).setAgentWallet(1n, newWallet, deadline, signature);
      const foreign = set(player, { ...good, newWallet: keyOf("other").address });
      await expectRevert(foreign, "InvalidWalletSignature", keyOf("other").address);
      await expectRevert(set(player, await sign(arcade, key, { owner: thirdParty.address })), "InvalidWalletSignature");
      await expectRevert(set(thirdParty, good), "ERC721InsufficientApproval");
      await expectRevert(set(player, { ...good, newWallet: ZeroAddress }), "ZeroAddress");
      const now = await nowSeconds(arcade);
      await expectRevert(set(player, await sign(arcade, key, { deadline: now + 400n })), "DeadlineTooFar");
      expect(await identity.MAX_WALLET_DEADLINE_SECONDS()).to.equal(300n);
      const next = async (seconds: bigint) => {
        const at = (await nowSeconds(arcade)) + 1n;
        await arcade.time.setNextBlockTimestamp(at);
        return set(player, await sign(arcade, key, { deadline: at + seconds }));
      };
      await expectRevert(next(301n), "DeadlineTooFar");
      await expectRevert(set(player, await sign(arcade, key, { deadline: now - 1n })), "DeadlineExpired");
      expect(await identity.getAgentWallet(1n)).to.equal(player.address);
      await next(300n);
      expect(await identity.getAgentWallet(1n)).to.equal(key.address);
    });
  });

  it("says who may move an agent, as the published Reputation Registry asks", async () => {
    const { identity, player, other, thirdParty } = arcade;
    await expectIdentityMint(arcade);
    expect(await identity.isAuthorizedOrOwner(player, 1n)).to.equal(true);
    expect(await identity.isAuthorizedOrOwner(other, 1n)).to.equal(false);
    expect(await identity.isAuthorizedOrOwner(ZeroAddress, 1n)).to.equal(false);
    await as(identity, player).approve(other, 1n);
    await as(identity, player).setApprovalForAll(thirdParty, true);
    expect(await identity.isAuthorizedOrOwner(other, 1n)).to.equal(true);
    expect(await identity.isAuthorizedOrOwner(thirdParty, 1n)).to.equal(true);
    await expectRevert(identity.isAuthorizedOrOwner(player, 2n), "ERC721NonexistentToken", 2n);
  });

  it("answers the calls of the canonical Reputation and Validation registries for owners, approvals and others", async () => {
    const { identity, player, other, thirdParty, operator, connection, addresses } = arcade;
    await expectIdentityMint(arcade);
    await as(identity, player).approve(other, 1n);
    await as(identity, player).setApprovalForAll(operator, true);
    const registry = await deployContract(connection, "RegistryCaller", [addresses.identity]);
    const feedbackChecks = ["checkFeedback", "checkFeedbackByErc721"] as const;

    const expectMayAct = async (account: typeof player) => {
      for (const check of feedbackChecks) {
        await expect(as(registry, account)[check](1n))
          .to.be.revertedWithCustomError(registry, "SelfFeedback")
          .withArgs(account.address);
      }
      await as(registry, account).checkValidationRequest(1n);
    };
    const expectMayNotAct = async (account: typeof player) => {
      for (const check of feedbackChecks) await as(registry, account)[check](1n);
      await expect(as(registry, account).checkValidationRequest(1n))
        .to.be.revertedWithCustomError(registry, "NotAuthorized")
        .withArgs(account.address);
    };
    for (const account of [player, other, operator]) await expectMayAct(account);
    await expectMayNotAct(thirdParty);
    for (const check of [...feedbackChecks, "checkValidationRequest"]) {
      await expectRevert(as(registry, thirdParty)[check]!(2n), "ERC721NonexistentToken", 2n);
    }

    // A sale takes all of it from the former owner and its approvals.
    await as(identity, player).transferFrom(player, thirdParty, 1n);
    for (const account of [player, other, operator]) await expectMayNotAct(account);
    await expectMayAct(thirdParty);
  });
});
