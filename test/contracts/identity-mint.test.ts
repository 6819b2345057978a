import { expect } from "chai";
import { id, ZeroAddress, ZeroHash } from "ethers";
import { as, BASE_URI, keyOf, nowSeconds, useArcade } from "./helpers/arcade.ts";
import {
  DIGEST,
  expectIdentityMint,
  makeIdentityMint,
  sendIdentityMint,
  sendSponsoredMint,
  signConsent,
} from "./helpers/identity.ts";
import { signMessage, soon } from "./helpers/sign.ts";

describe("AgentIdentity: mint", () => {
  const arcadeOf = useArcade();

  it("mints ids from 1 to the wallet that asked for them", async () => {
    const arcade = arcadeOf();
    expect(await expectIdentityMint(arcade, await makeIdentityMint(arcade))).to.equal(1n);
    const forOther = await makeIdentityMint(arcade, { to: arcade.other.address, metadataDigest: id("another") });
    expect(await expectIdentityMint(arcade, forOther, { sender: arcade.other })).to.equal(2n);
    expect(await arcade.identity.balanceOf(arcade.player)).to.equal(1n);
  });

  it("keeps the first identity of a wallet as its primary one", async () => {
    const arcade = arcadeOf();
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    expect(await arcade.identity.primaryIdentity(arcade.player)).to.equal(1n);
    expect(await arcade.identity.balanceOf(arcade.player)).to.equal(2n);
  });

  it("writes every digit of a digest", async () => {
    const arcade = arcadeOf();
    for (const digest of [`0x${"0123456789abcdef".repeat(4)}`, `0x${"f".repeat(64)}`, `0x${"0".repeat(63)}1`]) {
      await expectIdentityMint(arcade, await makeIdentityMint(arcade, { metadataDigest: digest }));
    }
  });

  it("serves bases of every length up to 96 bytes and refuses longer ones", async () => {
    const arcade = arcadeOf();
    const { ethers } = arcade.connection;
    const duties = {
      admin: arcade.admin.address,
      adminDelaySeconds: 0n,
      guardian: ZeroAddress,
      signer: arcade.keys.identity.address,
      signerIsContract: false,
      signerDelaySeconds: 0n,
    };
    for (const length of [0, 1, 31, 32, 33, 63, 64, 65, 95, 96]) {
      const base = "x".repeat(length);
      const identity = (await ethers.deployContract("AgentIdentity", [
        duties,
        "A",
        "A",
        base,
      ])) as unknown as typeof arcade.identity;
      expect(await identity.baseURI()).to.equal(base);
      const addresses = { ...arcade.addresses, identity: await identity.getAddress() };
      const mint = await makeIdentityMint({ ...arcade, identity, addresses });
      await sendIdentityMint({ ...arcade, identity, addresses }, mint);
      expect(await identity.tokenURI(1n), `base of ${length}`).to.equal(`${base}${DIGEST.slice(2)}.json`);
    }
    await expect(ethers.deployContract("AgentIdentity", [duties, "A", "A", "x".repeat(97)]))
      .to.be.revertedWithCustomError(arcade.identity, "BaseTooLong")
      .withArgs(97n, 96n);
  });

  it("refuses a sender that is not the wallet", async () => {
    const arcade = arcadeOf();
    await expect(sendIdentityMint(arcade, await makeIdentityMint(arcade), { sender: arcade.other }))
      .to.be.revertedWithCustomError(arcade.identity, "NotWallet")
      .withArgs(arcade.other.address, arcade.player.address);
  });

  it("refuses another nonce, another key and a used signature", async () => {
    const arcade = arcadeOf();
    const mint = await makeIdentityMint(arcade);
    await expect(sendIdentityMint(arcade, { ...mint, nonce: 1n })).to.be.revertedWithCustomError(
      arcade.identity,
      "InvalidSignature",
    );
    await expect(sendIdentityMint(arcade, mint, { key: keyOf("thief") }))
      .to.be.revertedWithCustomError(arcade.identity, "InvalidSignature")
      .withArgs(keyOf("thief").address);
    await expectIdentityMint(arcade, mint);
    await expect(sendIdentityMint(arcade, mint)).to.be.revertedWithCustomError(arcade.identity, "InvalidSignature");
  });

  it("accepts a deadline from now to a day ahead", async () => {
    const arcade = arcadeOf();
    const { time } = arcade.connection.networkHelpers;
    const at = (await nowSeconds(arcade)) + 100n;
    for (const [deadline, error] of [
      [at - 1n, "DeadlineExpired"],
      [at + 86_401n, "DeadlineTooFar"],
    ] as const) {
      await time.setNextBlockTimestamp(at);
      await expect(sendIdentityMint(arcade, await makeIdentityMint(arcade, { deadline })))
        .to.be.revertedWithCustomError(arcade.identity, error)
        .withArgs(...(error === "DeadlineExpired" ? [deadline] : [deadline, at + 86_400n]));
    }
    await time.setNextBlockTimestamp(at);
    await expectIdentityMint(arcade, await makeIdentityMint(arcade, { deadline: at }));
    await time.setNextBlockTimestamp(at + 1n);
    await expectIdentityMint(arcade, await makeIdentityMint(arcade, { deadline: at + 1n + 86_400n }));
  });

  it("voids what was signed before when the wallet cancels its nonce", async () => {
    const arcade = arcadeOf();
    const mint = await makeIdentityMint(arcade);
    await expect(as(arcade.identity, arcade.player).cancelMintNonce())
      .to.emit(arcade.identity, "MintNonceCancelled")
      .withArgs(arcade.player.address, 1n);
    await expect(sendIdentityMint(arcade, mint)).to.be.revertedWithCustomError(arcade.identity, "InvalidSignature");
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
  });

  it("moves the base of every identity without its own URI", async () => {
    const arcade = arcadeOf();
    const { identity, admin } = arcade;
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    const moved = as(identity, admin).setBaseURI("ipfs://moved/");
    await expect(moved).to.emit(identity, "BaseURISet").withArgs("ipfs://moved/");
    await expect(moved).to.emit(identity, "BatchMetadataUpdate").withArgs(1n, 1n);
    expect(await identity.baseURI()).to.equal("ipfs://moved/");
    expect(await identity.tokenURI(1n)).to.equal(`ipfs://moved/${DIGEST.slice(2)}.json`);
    const sent = await sendIdentityMint(arcade, await makeIdentityMint(arcade));
    await expect(sent)
      .to.emit(identity, "Registered")
      .withArgs(2n, `ipfs://moved/${DIGEST.slice(2)}.json`, arcade.player.address);
  });

  it("knows no identity that was not minted", async () => {
    const { identity } = arcadeOf();
    await expect(identity.balanceOf(ZeroAddress))
      .to.be.revertedWithCustomError(identity, "ERC721InvalidOwner")
      .withArgs(ZeroAddress);
    expect(await identity.balanceOf(`0x${"1".padStart(40, "0")}`)).to.equal(0n);
    for (const call of ["ownerOf", "tokenURI", "metadataDigest", "getAgentWallet", "getApproved"]) {
      await expect(identity[call](1n)).to.be.revertedWithCustomError(identity, "ERC721NonexistentToken").withArgs(1n);
    }
    await expect(identity.balanceOf(ZeroAddress)).to.be.revertedWithCustomError(identity, "ERC721InvalidOwner");
  });

  it("refuses a signature that is not 65 bytes", async () => {
    const arcade = arcadeOf();
    const deadline = await soon(arcade);
    const signature = await signMessage(arcade, arcade.keys.identity, "MintIdentity", {
      ...(await makeIdentityMint(arcade)),
      deadline,
    });
    for (const bad of ["0x", signature.slice(0, -2), `${signature}00`]) {
      await expect(
        as(arcade.identity, arcade.player).mintIdentityWithSignature(arcade.player.address, DIGEST, deadline, bad),
      )
        .to.be.revertedWithCustomError(arcade.identity, "InvalidSignature")
        .withArgs(ZeroAddress);
    }
  });

  it("leaves a digest of zero without a URI, in the event and in the view", async () => {
    const arcade = arcadeOf();
    const sent = await sendIdentityMint(arcade, await makeIdentityMint(arcade, { metadataDigest: ZeroHash }));
    await expect(sent).to.emit(arcade.identity, "Registered").withArgs(1n, "", arcade.player.address);
    expect(await arcade.identity.tokenURI(1n)).to.equal("");
  });

  describe("by a sponsor", () => {
    const wallet = keyOf("wallet without ether");

    it("mints to a wallet that agreed, and consumes its nonce", async () => {
      const arcade = arcadeOf();
      const { identity, thirdParty } = arcade;
      const mint = await makeIdentityMint(arcade, { to: wallet.address });
      const uri = `${BASE_URI}${DIGEST.slice(2)}.json`;
      const sent = await sendSponsoredMint(arcade, mint, { wallet, sender: thirdParty });
      await expect(sent).to.emit(identity, "Registered").withArgs(1n, uri, wallet.address);
      expect(await identity.ownerOf(1n)).to.equal(wallet.address);
      const since = await nowSeconds(arcade);
      expect((await identity.primary(wallet.address)).toArray()).to.deep.equal([1n, since]);
      expect(await identity.mintNonces(wallet.address)).to.equal(1n);
      await expect(sendSponsoredMint(arcade, mint, { wallet }))
        .to.be.revertedWithCustomError(identity, "InvalidConsent")
        .withArgs(wallet.address);
    });

    it("refuses what the wallet did not agree to", async () => {
      const arcade = arcadeOf();
      const { identity, thirdParty, keys } = arcade;
      const mint = await makeIdentityMint(arcade, { to: wallet.address });
      const signature = await signMessage(arcade, keys.identity, "MintIdentity", { ...mint });
      const send = (consent: string, to = mint.to) =>
        as(identity, thirdParty).mintIdentityFor(to, mint.metadataDigest, mint.deadline, signature, consent);
      for (const changes of [{ metadataDigest: id("other") }, { nonce: 1n }, { deadline: mint.deadline + 1n }]) {
        await expect(send(await signConsent(arcade, wallet, { ...mint, ...changes })))
          .to.be.revertedWithCustomError(identity, "InvalidConsent")
          .withArgs(wallet.address);
      }
      // Neither the service's signature, nor a foreign key, nor nothing is a consent.
      const forged = await signConsent(arcade, keyOf("thief"), mint);
      for (const consent of [signature, forged, "0x"]) {
        await expect(send(consent)).to.be.revertedWithCustomError(identity, "InvalidConsent");
      }
      const consent = await signConsent(arcade, wallet, mint);
      // A malformed signature recovers to the zero address, which no key signs for.
      for (const none of [consent, "0x"]) {
        await expect(send(none, ZeroAddress))
          .to.be.revertedWithCustomError(identity, "InvalidConsent")
          .withArgs(ZeroAddress);
      }
      await as(identity, thirdParty).mintIdentityFor.staticCall(
        ...[mint.to, mint.metadataDigest, mint.deadline, signature, consent],
      );
    });

    it("refuses a consent without the service's signature, and a time beyond a day", async () => {
      const arcade = arcadeOf();
      const { identity } = arcade;
      const mint = await makeIdentityMint(arcade, { to: wallet.address });
      await expect(sendSponsoredMint(arcade, mint, { wallet, key: keyOf("thief") }))
        .to.be.revertedWithCustomError(identity, "InvalidSignature")
        .withArgs(keyOf("thief").address);
      const late = { ...mint, deadline: (await nowSeconds(arcade)) + 90_000n };
      await expect(sendSponsoredMint(arcade, late, { wallet })).to.be.revertedWithCustomError(
        identity,
        "DeadlineTooFar",
      );
    });

    it("mints to a contract wallet by ERC-1271", async () => {
      const arcade = arcadeOf();
      const { identity, connection } = arcade;
      const contract = await connection.ethers.deployContract("SmartWallet", [wallet.address]);
      const to = await contract.getAddress();
      await sendSponsoredMint(arcade, await makeIdentityMint(arcade, { to }), { wallet });
      expect(await identity.ownerOf(1n)).to.equal(to);
      const next = await makeIdentityMint(arcade, { to });
      await expect(sendSponsoredMint(arcade, next, { wallet: keyOf("thief") })).to.be.revertedWithCustomError(
        identity,
        "InvalidConsent",
      );
    });

    it("is void after the wallet cancelled its nonce, and closed while paused", async () => {
      const arcade = arcadeOf();
      const { identity, player, guardian } = arcade;
      const mint = await makeIdentityMint(arcade);
      await as(identity, player).cancelMintNonce();
      await expect(sendSponsoredMint(arcade, mint, { wallet: player })).to.be.revertedWithCustomError(
        identity,
        "InvalidConsent",
      );
      await as(identity, guardian).pause();
      await expect(
        sendSponsoredMint(arcade, await makeIdentityMint(arcade), { wallet: player }),
      ).to.be.revertedWithCustomError(identity, "EnforcedPause");
    });
  });
});
