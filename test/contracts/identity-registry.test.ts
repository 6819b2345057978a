import { expect } from "chai";
import { toUtf8Bytes, ZeroAddress } from "ethers";
import { type Arcade, as, BASE_URI, keyOf, nowSeconds, useArcade } from "./helpers/arcade.ts";
import { DIGEST, expectIdentityMint, makeIdentityMint } from "./helpers/identity.ts";
import { interfaceIdOf } from "./helpers/interface-id.ts";
import { signMessage } from "./helpers/sign.ts";

const REGISTER = { empty: "register()", uri: "register(string)", full: "register(string,(string,bytes)[])" } as const;

describe("AgentIdentity: ERC-8004 registry", () => {
  const arcadeOf = useArcade();

  const openRegistration = async ({ identity, admin }: Arcade) =>
    expect(as(identity, admin).setOpenRegistration(true)).to.emit(identity, "OpenRegistrationSet").withArgs(true);

  describe("register", () => {
    it("is closed until the admin opens it, and the guardian can close it", async () => {
      const arcade = arcadeOf();
      const { identity, player, guardian } = arcade;
      for (const args of [[REGISTER.empty], [REGISTER.uri, "u"], [REGISTER.full, "u", []]] as const) {
        const [name, ...rest] = args;
        await expect(as(identity, player)[name](...rest)).to.be.revertedWithCustomError(
          identity,
          "RegistrationRequiresSignature",
        );
      }
      await expect(as(identity, guardian).setOpenRegistration(true)).to.be.revertedWithCustomError(
        identity,
        "AccessControlUnauthorizedAccount",
      );
      await openRegistration(arcade);
      expect(await identity.openRegistration()).to.equal(true);
      await as(identity, guardian).setOpenRegistration(false);
      await expect(as(identity, player)[REGISTER.empty]()).to.be.revertedWithCustomError(
        identity,
        "RegistrationRequiresSignature",
      );
      await expect(as(identity, player).setOpenRegistration(false))
        .to.be.revertedWithCustomError(identity, "NotGuardian")
        .withArgs(player.address);
    });

    it("registers without URI, with one, and with metadata", async () => {
      const arcade = arcadeOf();
      const { identity, player } = arcade;
      await openRegistration(arcade);
      const mine = as(identity, player);
      await expect(mine[REGISTER.empty]()).to.emit(identity, "Registered").withArgs(1n, "", player.address);
      expect(await identity.tokenURI(1n)).to.equal("");
      expect(await identity.primaryIdentity(player)).to.equal(1n);
      await expect(mine[REGISTER.uri]("ipfs://a"))
        .to.emit(identity, "Registered")
        .withArgs(2n, "ipfs://a", player.address);
      expect(await identity.tokenURI(2n)).to.equal("ipfs://a");
      const entries = [{ metadataKey: "model", metadataValue: "0x1234" }];
      const full = mine[REGISTER.full]("ipfs://b", entries);
      await expect(full).to.emit(identity, "Registered").withArgs(3n, "ipfs://b", player.address);
      await expect(full).to.emit(identity, "MetadataSet").withArgs(3n, "model", "model", "0x1234");
      await expect(full)
        .to.emit(identity, "MetadataSet")
        .withArgs(3n, "agentWallet", "agentWallet", player.address.toLowerCase());
      expect(await identity.getMetadata(3n, "model")).to.equal("0x1234");
      expect(await identity.primaryIdentity(player)).to.equal(1n);
      expect(await identity.balanceOf(player)).to.equal(3n);
      expect(await identity.totalSupply()).to.equal(3n);
      await expect(mine[REGISTER.uri]("/")).to.emit(identity, "Transfer").withArgs(ZeroAddress, player.address, 4n);
      expect(await identity.tokenURI(4n)).to.equal("/");
    });

    it("refuses the reserved key, and everything while paused", async () => {
      const arcade = arcadeOf();
      const { identity, player, guardian } = arcade;
      await openRegistration(arcade);
      const reserved = [{ metadataKey: "agentWallet", metadataValue: "0x" }];
      await expect(as(identity, player)[REGISTER.full]("u", reserved))
        .to.be.revertedWithCustomError(identity, "ReservedMetadataKey")
        .withArgs("agentWallet");
      await as(identity, guardian).pause();
      await expect(as(identity, player)[REGISTER.empty]()).to.be.revertedWithCustomError(identity, "EnforcedPause");
    });
  });

  describe("set metadata and URI", () => {
    it("is for the owner and approved operators", async () => {
      const arcade = arcadeOf();
      const { identity, player, other, thirdParty } = arcade;
      await expectIdentityMint(arcade, await makeIdentityMint(arcade));
      for (const call of [
        (contract: typeof identity) => contract.setAgentURI(1n, "ipfs://new"),
        (contract: typeof identity) => contract.setMetadata(1n, "model", toUtf8Bytes("m1")),
        (contract: typeof identity) => contract.unsetAgentWallet(1n),
      ]) {
        await expect(call(as(identity, thirdParty)))
          .to.be.revertedWithCustomError(identity, "ERC721InsufficientApproval")
          .withArgs(thirdParty.address, 1n);
      }
      await as(identity, player).setApprovalForAll(other, true);
      const sent = as(identity, other).setAgentURI(1n, "ipfs://new");
      await expect(sent).to.emit(identity, "URIUpdated").withArgs(1n, "ipfs://new", other.address);
      await expect(sent).to.emit(identity, "MetadataUpdate").withArgs(1n);
      expect(await identity.tokenURI(1n)).to.equal("ipfs://new");
      await expect(as(identity, player).setMetadata(1n, "model", "0xab"))
        .to.emit(identity, "MetadataSet")
        .withArgs(1n, "model", "model", "0xab");
      // An emptied URI is the one of the mint again, in the event as in the view.
      const minted = `${BASE_URI}${DIGEST.slice(2)}.json`;
      await expect(as(identity, player).setAgentURI(1n, ""))
        .to.emit(identity, "URIUpdated")
        .withArgs(1n, minted, player.address);
      expect(await identity.tokenURI(1n)).to.equal(minted);
      expect(await identity.getMetadata(1n, "model")).to.equal("0xab");
      expect(await identity.getMetadata(1n, "absent")).to.equal("0x");
      await expect(as(identity, player).setMetadata(1n, "agentWallet", "0xab")).to.be.revertedWithCustomError(
        identity,
        "ReservedMetadataKey",
      );
    });
  });

  describe("set the agent's wallet", () => {
    const sign = async (arcade: Arcade, key: ReturnType<typeof keyOf>, changes: object = {}) => {
      const deadline = (await nowSeconds(arcade)) + 200n;
      const message = { agentId: 1n, newWallet: key.address, owner: arcade.player.address, deadline, ...changes };
      return { ...message, signature: await signMessage(arcade, key, "AgentWalletSet", message) };
    };

    it("takes the new wallet's signature", async () => {
      const arcade = arcadeOf();
      const { identity, player } = arcade;
      await expectIdentityMint(arcade, await makeIdentityMint(arcade));
      const { newWallet, deadline, signature } = await sign(arcade, keyOf("wallet"));
      await expect(as(identity, player).setAgentWallet(1n, newWallet, deadline, signature))
        .to.emit(identity, "MetadataSet")
        .withArgs(1n, "agentWallet", "agentWallet", newWallet.toLowerCase());
      expect(await identity.getAgentWallet(1n)).to.equal(newWallet);
      expect(await identity.getMetadata(1n, "agentWallet")).to.equal(newWallet.toLowerCase());
      await expect(as(identity, player).unsetAgentWallet(1n))
        .to.emit(identity, "MetadataSet")
        .withArgs(1n, "agentWallet", "agentWallet", "0x");
      expect(await identity.getAgentWallet(1n)).to.equal(ZeroAddress);
      expect(await identity.getMetadata(1n, "agentWallet")).to.equal("0x");
    });

    it("refuses other signers, other owners, third parties, zero and times beyond five minutes", async () => {
      const arcade = arcadeOf();
      const { identity, player, thirdParty } = arcade;
      await expectIdentityMint(arcade, await makeIdentityMint(arcade));
      const key = keyOf("wallet");
      const good = await sign(arcade, key);
      const set = (who: typeof player, { newWallet, deadline, signature }: typeof good) =>
        as(identity, who).setAgentWallet(1n, newWallet, deadline, signature);
      await expect(set(player, { ...good, newWallet: keyOf("other").address }))
        .to.be.revertedWithCustomError(identity, "InvalidWalletSignature")
        .withArgs(keyOf("other").address);
      await expect(set(player, await sign(arcade, key, { owner: thirdParty.address }))).to.be.revertedWithCustomError(
        identity,
        "InvalidWalletSignature",
      );
      await expect(set(thirdParty, good)).to.be.revertedWithCustomError(identity, "ERC721InsufficientApproval");
      await expect(set(player, { ...good, newWallet: ZeroAddress })).to.be.revertedWithCustomError(
        identity,
        "ZeroAddress",
      );
      const now = await nowSeconds(arcade);
      await expect(set(player, await sign(arcade, key, { deadline: now + 400n }))).to.be.revertedWithCustomError(
        identity,
        "DeadlineTooFar",
      );
      expect(await identity.MAX_WALLET_DEADLINE_SECONDS()).to.equal(300n);
      const next = async (seconds: bigint) => {
        const time = (await nowSeconds(arcade)) + 1n;
        await arcade.connection.networkHelpers.time.setNextBlockTimestamp(time);
        return set(player, await sign(arcade, key, { deadline: time + seconds }));
      };
      await expect(next(301n)).to.be.revertedWithCustomError(identity, "DeadlineTooFar");
      await expect(set(player, await sign(arcade, key, { deadline: now - 1n }))).to.be.revertedWithCustomError(
        identity,
        "DeadlineExpired",
      );
      expect(await identity.getAgentWallet(1n)).to.equal(player.address);
      await next(300n);
      expect(await identity.getAgentWallet(1n)).to.equal(key.address);
    });
  });

  it("says who may move an agent, as the published Reputation Registry asks", async () => {
    const arcade = arcadeOf();
    const { identity, player, other, thirdParty } = arcade;
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    expect(await identity.isAuthorizedOrOwner(player, 1n)).to.equal(true);
    expect(await identity.isAuthorizedOrOwner(other, 1n)).to.equal(false);
    expect(await identity.isAuthorizedOrOwner(ZeroAddress, 1n)).to.equal(false);
    await as(identity, player).approve(other, 1n);
    await as(identity, player).setApprovalForAll(thirdParty, true);
    expect(await identity.isAuthorizedOrOwner(other, 1n)).to.equal(true);
    expect(await identity.isAuthorizedOrOwner(thirdParty, 1n)).to.equal(true);
    await expect(identity.isAuthorizedOrOwner(player, 2n))
      .to.be.revertedWithCustomError(identity, "ERC721NonexistentToken")
      .withArgs(2n);
  });

  it("answers the calls of the canonical Reputation and Validation registries for owners, approvals and others", async () => {
    const arcade = arcadeOf();
    const { identity, player, other, thirdParty, operator, connection, addresses } = arcade;
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    await as(identity, player).approve(other, 1n);
    await as(identity, player).setApprovalForAll(operator, true);
    const registry = (await connection.ethers.deployContract("RegistryCaller", [
      addresses.identity,
    ])) as unknown as typeof identity;
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
      await expect(as(registry, thirdParty)[check]!(2n))
        .to.be.revertedWithCustomError(identity, "ERC721NonexistentToken")
        .withArgs(2n);
    }

    // A sale takes all of it from the former owner and its approvals.
    await as(identity, player).transferFrom(player, thirdParty, 1n);
    for (const account of [player, other, operator]) await expectMayNotAct(account);
    await expectMayAct(thirdParty);
  });

  it("says which interfaces it has", async () => {
    const { identity } = arcadeOf();
    // ERC-165, ERC-721, its metadata, ERC-4906, AccessControl with default admin rules.
    for (const interfaceId of ["0x01ffc9a7", "0x80ac58cd", "0x5b5e139f", "0x49064906", "0x31498786"]) {
      expect(await identity.supportsInterface(interfaceId), interfaceId).to.equal(true);
    }
    for (const name of ["IAgentIdentity", "IERC8004IdentityRegistry"]) {
      expect(await identity.supportsInterface(await interfaceIdOf(name)), name).to.equal(true);
    }
    expect(await identity.supportsInterface(await interfaceIdOf("IGameNFT"))).to.equal(false);
    expect(await identity.supportsInterface("0xffffffff")).to.equal(false);
  });
});
