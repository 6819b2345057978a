import { expect } from "chai";
import { id, ZeroAddress, ZeroHash } from "ethers";
import { as, BASE_URI, deployContract, keyOf, makeDuties, nowSeconds, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
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
  const arcade = useArcade();

  it("mints ids from 1 to the wallet that asked for them", async () => {
    expect(await expectIdentityMint(arcade)).to.equal(1n);
    const forOther = await makeIdentityMint(arcade, { to: arcade.other.address, metadataDigest: id("another") });
    expect(await expectIdentityMint(arcade, forOther, { sender: arcade.other })).to.equal(2n);
    expect(await arcade.identity.balanceOf(arcade.player)).to.equal(1n);
  });

  it("keeps the first identity of a wallet as its primary one", async () => {
    await expectIdentityMint(arcade);
    await expectIdentityMint(arcade);
    expect(await arcade.identity.primaryIdentity(arcade.player)).to.equal(1n);
    expect(await arcade.identity.balanceOf(arcade.player)).to.equal(2n);
  });

  it("writes every digit of a digest", async () => {
    for (const digest of [`0x${"0123456789abcdef".repeat(4)}`, `0x${"f".repeat(64)}`, `0x${"0".repeat(63)}1`]) {
      await expectIdentityMint(arcade, { metadataDigest: digest });
    }
  });

  it("serves bases of every length up to 96 bytes and refuses longer ones", async () => {
    const { ethers } = arcade.connection;
    const duties = makeDuties(arcade, arcade.keys.identity);
    for (const length of [0, 1, 31, 32, 33, 63, 64, 65, 95, 96]) {
      const base = "x".repeat(length);
      const identity = await deployContract(arcade.connection, "AgentIdentity", [duties, "A", "A", base]);
      expect(await identity.baseURI()).to.equal(base);
      const addresses = { ...arcade.addresses, identity: await identity.getAddress() };
      const mint = await makeIdentityMint({ ...arcade, identity, addresses });
      await sendIdentityMint({ ...arcade, identity, addresses }, mint);
      expect(await identity.tokenURI(1n), `base of ${length}`).to.equal(`${base}${DIGEST.slice(2)}.json`);
    }
    const deployed = ethers.deployContract("AgentIdentity", [duties, "A", "A", "x".repeat(97)]);
    await expectRevert(deployed, "BaseTooLong", 97n, 96n);
  });

  it("refuses a sender that is not the wallet", async () => {
    const sent = sendIdentityMint(arcade, {}, { sender: arcade.other });
    await expectRevert(sent, "NotWallet", arcade.other.address, arcade.player.address);
  });

  it("refuses another nonce, another key and a used signature", async () => {
    const mint = await makeIdentityMint(arcade);
    await expectRevert(sendIdentityMint(arcade, { ...mint, nonce: 1n }), "InvalidSignature");
    const sent = sendIdentityMint(arcade, mint, { key: keyOf("thief") });
    await expectRevert(sent, "InvalidSignature", keyOf("thief").address);
    await expectIdentityMint(arcade, mint);
    await expectRevert(sendIdentityMint(arcade, mint), "InvalidSignature");
  });

  it("voids what was signed before when the wallet cancels its nonce", async () => {
    const mint = await makeIdentityMint(arcade);
    const cancelled = as(arcade.identity, arcade.player).cancelMintNonce();
    await expectEvent(cancelled, arcade.identity, "MintNonceCancelled", arcade.player.address, 1n);
    await expectRevert(sendIdentityMint(arcade, mint), "InvalidSignature");
    await expectIdentityMint(arcade);
  });

  it("moves the base of every identity without its own URI", async () => {
    const { identity, admin } = arcade;
    await expectIdentityMint(arcade);
    const moved = as(identity, admin).setBaseURI("ipfs://moved/");
    await expectEvent(moved, identity, "BaseURISet", "ipfs://moved/");
    await expectEvent(moved, identity, "BatchMetadataUpdate", 1n, 1n);
    expect(await identity.baseURI()).to.equal("ipfs://moved/");
    expect(await identity.tokenURI(1n)).to.equal(`ipfs://moved/${DIGEST.slice(2)}.json`);
    const sent = await sendIdentityMint(arcade);
    await expectEvent(sent, identity, "Registered", 2n, `ipfs://moved/${DIGEST.slice(2)}.json`, arcade.player.address);
  });

  it("knows no identity that was not minted", async () => {
    const { identity } = arcade;
    await expectRevert(identity.balanceOf(ZeroAddress), "ERC721InvalidOwner", ZeroAddress);
    expect(await identity.balanceOf(`0x${"1".padStart(40, "0")}`)).to.equal(0n);
    for (const call of ["ownerOf", "tokenURI", "metadataDigest", "getAgentWallet", "getApproved"]) {
      await expectRevert(identity[call](1n), "ERC721NonexistentToken", 1n);
    }
    await expectRevert(identity.balanceOf(ZeroAddress), "ERC721InvalidOwner");
  });

  it("refuses a signature that is not 65 bytes", async () => {
    const deadline = await soon(arcade);
    const signature = await signMessage(arcade, arcade.keys.identity, "MintIdentity", {
      ...(await makeIdentityMint(arcade)),
      deadline,
    });
    for (const bad of ["0x", signature.slice(0, -2), `${signature}00`]) {
      await expectRevert(
        as(arcade.identity, arcade.player).mintIdentityWithSignature(arcade.player.address, DIGEST, deadline, bad),
        "InvalidSignature",
        ZeroAddress,
      );
    }
  });

  it("leaves a digest of zero without a URI, in the event and in the view", async () => {
    const sent = await sendIdentityMint(arcade, { metadataDigest: ZeroHash });
    await expectEvent(sent, arcade.identity, "Registered", 1n, "", arcade.player.address);
    expect(await arcade.identity.tokenURI(1n)).to.equal("");
  });

  describe("by a sponsor", () => {
    const wallet = keyOf("wallet without ether");

    it("mints to a wallet that agreed, and consumes its nonce", async () => {
      const { identity, thirdParty } = arcade;
      const mint = await makeIdentityMint(arcade, { to: wallet.address });
      const uri = `${BASE_URI}${DIGEST.slice(2)}.json`;
      const sent = await sendSponsoredMint(arcade, mint, { wallet, sender: thirdParty });
      await expectEvent(sent, identity, "Registered", 1n, uri, wallet.address);
      expect(await identity.ownerOf(1n)).to.equal(wallet.address);
      const since = await nowSeconds(arcade);
      expect((await identity.primary(wallet.address)).toArray()).to.deep.equal([1n, since]);
      expect(await identity.mintNonces(wallet.address)).to.equal(1n);
      await expectRevert(sendSponsoredMint(arcade, mint, { wallet }), "InvalidConsent", wallet.address);
    });

    it("refuses what the wallet did not agree to", async () => {
      const { identity, thirdParty, keys } = arcade;
      const mint = await makeIdentityMint(arcade, { to: wallet.address });
      const signature = await signMessage(arcade, keys.identity, "MintIdentity", { ...mint });
      const send = (consent: string, to = mint.to) =>
        as(identity, thirdParty).mintIdentityFor(to, mint.metadataDigest, mint.deadline, signature, consent);
      for (const changes of [{ metadataDigest: id("other") }, { nonce: 1n }, { deadline: mint.deadline + 1n }]) {
        const sent = send(await signConsent(arcade, wallet, { ...mint, ...changes }));
        await expectRevert(sent, "InvalidConsent", wallet.address);
      }
      // Neither the service's signature, nor a foreign key, nor nothing is a consent.
      const forged = await signConsent(arcade, keyOf("thief"), mint);
      for (const consent of [signature, forged, "0x"]) {
        await expectRevert(send(consent), "InvalidConsent");
      }
      const consent = await signConsent(arcade, wallet, mint);
      // A malformed signature recovers to the zero address, which no key signs for.
      for (const none of [consent, "0x"]) {
        await expectRevert(send(none, ZeroAddress), "InvalidConsent", ZeroAddress);
      }
      await as(identity, thirdParty).mintIdentityFor.staticCall(
        ...[mint.to, mint.metadataDigest, mint.deadline, signature, consent],
      );
    });

    it("refuses a consent without the service's signature, and a time beyond a day", async () => {
      const mint = await makeIdentityMint(arcade, { to: wallet.address });
      const sponsored = sendSponsoredMint(arcade, mint, { wallet, key: keyOf("thief") });
      await expectRevert(sponsored, "InvalidSignature", keyOf("thief").address);
      const late = { ...mint, deadline: (await nowSeconds(arcade)) + 90_000n };
      await expectRevert(sendSponsoredMint(arcade, late, { wallet }), "DeadlineTooFar");
    });

    it("mints to a contract wallet by ERC-1271", async () => {
      const { identity, connection } = arcade;
      const contract = await connection.ethers.deployContract("SmartWallet", [wallet.address]);
      const to = await contract.getAddress();
      await sendSponsoredMint(arcade, { to }, { wallet });
      expect(await identity.ownerOf(1n)).to.equal(to);
      const next = await makeIdentityMint(arcade, { to });
      await expectRevert(sendSponsoredMint(arcade, next, { wallet: keyOf("thief") }), "InvalidConsent");
    });

    it("is void after the wallet cancelled its nonce, and closed while paused", async () => {
      const { identity, player, guardian } = arcade;
      const mint = await makeIdentityMint(arcade);
      await as(identity, player).cancelMintNonce();
      await expectRevert(sendSponsoredMint(arcade, mint, { wallet: player }), "InvalidConsent");
      await as(identity, guardian).pause();
      await expectRevert(sendSponsoredMint(arcade, {}, { wallet: player }), "EnforcedPause");
    });
  });
});
