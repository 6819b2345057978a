import { expect } from "chai";
import { MaxUint256, ZeroAddress } from "ethers";
import { type Arcade, as, deployContract, makeDuties, SLUG, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
import { expectGameNftMint, expectGameNftUpgrade, makeGameNftCall, sendGameNft } from "./helpers/game-nft.ts";
import { mintIdentities } from "./helpers/identity.ts";

/** The highest score that a record holds. */
const MAX_SCORE = 2n ** 32n - 1n;

describe("GameNFT", () => {
  const arcade = useArcade();
  /** The arcade with the player's identity 1. */
  const withIdentity = async (): Promise<Arcade> => {
    await mintIdentities(arcade, 1);
    return arcade;
  };

  describe("administer", () => {
    it("moves metadata", async () => {
      const arcade = await withIdentity();
      const { nft, admin, guardian } = arcade;
      await expectGameNftMint(arcade);
      expect(await nft.tokenURI(1n)).to.equal("https://arcade.example/api/metadata/flappybots/1.json");
      const moved = as(nft, admin).setBaseURI("ipfs://wings/");
      await expectEvent(moved, nft, "BaseURISet", "ipfs://wings/");
      await expectEvent(moved, nft, "BatchMetadataUpdate", 1n, MaxUint256);
      expect(await nft.tokenURI(1n)).to.equal("ipfs://wings/1.json");
      for (const call of [
        (contract: typeof nft) => contract.setBaseURI(""),
        (contract: typeof nft) => contract.setContractURI(""),
        (contract: typeof nft) => contract.setRoyalty(guardian.address, 1n),
      ]) {
        await expectRevert(call(as(nft, guardian)), "AccessControlUnauthorizedAccount");
      }
      await expectRevert(nft.tokenURI(8n), "ERC721NonexistentToken");
    });

    it("annuls a record, which an upgrade with the true score makes good", async () => {
      await mintIdentities(arcade, 2);
      const { nft, guardian, admin, thirdParty, player } = arcade;
      await expectGameNftMint(arcade, { score: MAX_SCORE });
      await expectRevert(as(nft, thirdParty).annul([1n]), "NotGuardian");
      const { mintedAt } = await nft.recordOf(1n);
      const sent = as(nft, guardian).annul([1n]);
      await expectEvent(sent, nft, "GameNftAnnulled", 1n, MAX_SCORE, guardian.address);
      await expectEvent(sent, nft, "MetadataUpdate", 1n);
      expect((await nft.recordOf(1n)).toArray()).to.deep.equal([0n, 0n, mintedAt, 0n, 0n]);
      expect(await nft.ownerOf(1n)).to.equal(player.address);
      await expectRevert(sendGameNft(arcade, "UpgradeGameNft", { score: 99n }), "ScoreBelowFirstTier", 99n, 100n);
      await expectGameNftUpgrade(arcade, { score: 500n });
      await expectGameNftMint(arcade, { agentId: 2n, score: 100n });
      const both = as(nft, admin).annul([1n, 2n]);
      await expectEvent(both, nft, "GameNftAnnulled", 1n, 500n, admin.address);
      await expectEvent(both, nft, "GameNftAnnulled", 2n, 100n, admin.address);
      expect([(await nft.recordOf(1n)).score, (await nft.recordOf(2n)).score]).to.deep.equal([0n, 0n]);
      await expectGameNftUpgrade(arcade, { score: 500n });
      await expectRevert(as(nft, guardian).annul([1n, 3n]), "ERC721NonexistentToken");
      expect((await nft.recordOf(1n)).score, "all or none").to.equal(500n);
    });

    it("keeps an annulled record down against a signature that is still valid only once its signer is revoked", async () => {
      const arcade = await withIdentity();
      const { nft, guardian, thirdParty } = arcade;
      await expectGameNftMint(arcade, { score: 500n });
      const upgrade = await makeGameNftCall(arcade, { score: MAX_SCORE });
      const send = () => sendGameNft(arcade, "UpgradeGameNft", upgrade, { sender: thirdParty });
      await send();
      await as(nft, guardian).annul([1n]);
      await send();
      expect((await nft.recordOf(1n)).score).to.equal(MAX_SCORE);
      await as(nft, guardian).revokeSigner((await nft.signer()).account);
      await as(nft, guardian).annul([1n]);
      await expectRevert(send(), "InvalidSignature");
    });

    it("describes the collection (ERC-7572)", async () => {
      const { nft, admin } = arcade;
      const uri: string = await nft.contractURI();
      expect(uri).to.equal(
        "data:application/json;charset=utf-8,%7B%22name%22%3A%22Flappybots%20Wings%22%2C%22symbol%22%3A%22WINGS%22%7D",
      );
      expect(await (await fetch(uri)).json()).to.deep.equal({ name: "Flappybots Wings", symbol: "WINGS" });
      await expectEvent(as(nft, admin).setContractURI("ipfs://c"), nft, "ContractURIUpdated");
      expect(await nft.contractURI()).to.equal("ipfs://c");
    });

    it("names the royalty (ERC-2981)", async () => {
      const { nft, admin, treasury, other } = arcade;
      expect((await nft.royaltyInfo(1n, 10_000n)).toArray()).to.deep.equal([treasury.address, 250n]);
      await expectEvent(as(nft, admin).setRoyalty(other.address, 500n), nft, "RoyaltySet", other.address, 500n);
      expect((await nft.royaltyInfo(1n, 10_000n)).toArray()).to.deep.equal([other.address, 500n]);
      expect(await nft.MAX_ROYALTY_BASIS_POINTS()).to.equal(1_000n);
      await as(nft, admin).setRoyalty(other.address, 1_000n);
      await expectRevert(as(nft, admin).setRoyalty(other.address, 1_001n), "RoyaltyTooHigh", 1_001n, 1_000n);
    });
  });

  describe("deploy", () => {
    const deploy = (changes: {
      slug?: string;
      name?: string;
      thresholds?: bigint[];
      identity?: string;
      royalty?: bigint;
    }) => {
      const { connection, keys, treasury, addresses } = arcade;
      const { slug = "a", name = "N", thresholds = [1n], royalty = 0n } = changes;
      return deployContract(connection, "GameNFT", [
        makeDuties(arcade, keys.nft),
        changes.identity ?? addresses.identity,
        slug,
        name,
        "S",
        thresholds,
        "",
        treasury.address,
        royalty,
      ]);
    };

    it("takes one to eight rising thresholds", async () => {
      const eight = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 2n ** 32n - 1n];
      const contract = await deploy({ thresholds: eight });
      expect(await contract.thresholds()).to.deep.equal(eight);
      expect(await contract.tierOf(2n ** 32n - 1n)).to.equal(8n);
      expect(await contract.tierOf(2n ** 32n - 2n)).to.equal(7n);
      expect(await contract.tierOf(0n)).to.equal(0n);
      const nine = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n];
      for (const thresholds of [[], [0n], [5n, 5n], [5n, 4n], [2n ** 32n], nine]) {
        await expectRevert(deploy({ thresholds }), "InvalidThresholds");
      }
    });

    it("tells the whole first threshold to who has not reached it", async () => {
      const arcade = await withIdentity();
      const first = 2n ** 32n - 1n;
      const nft = await deploy({ slug: SLUG, thresholds: [first] });
      const changed = { ...arcade, nft, addresses: { ...arcade.addresses, nft: await nft.getAddress() } };
      const sent = sendGameNft(changed, "MintGameNft", { score: first - 1n });
      await expectRevert(sent, "ScoreBelowFirstTier", first - 1n, first);
    });

    it("refuses a missing identity contract and a royalty above the bound", async () => {
      await expectRevert(deploy({ identity: ZeroAddress }), "ZeroAddress");
      await expectRevert(deploy({ royalty: 1_001n }), "RoyaltyTooHigh");
    });

    it("describes a collection whose name has bytes that a URI reserves", async () => {
      for (const name of ["Pac#Man 100%", 'say "hi" & ?go=1', "Größe/ünïcode 🎮", "a-z.A_Z~09@[`{", "\n\t\\"]) {
        const contract = await deploy({ name });
        const uri: string = await contract.contractURI();
        const encoded = encodeURIComponent(JSON.stringify({ name, symbol: "S" })).replace(
          /[!'()*~]/g,
          (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
        );
        expect(uri).to.equal(`data:application/json;charset=utf-8,${encoded}`);
        expect(await (await fetch(uri)).json()).to.deep.equal({ name, symbol: "S" });
      }
    });

    it("takes slugs whose domain fits into 31 bytes", async () => {
      const slug = "x".repeat(23);
      const contract = await deploy({ slug });
      expect((await contract.eip712Domain()).name).to.equal(`GameNFT:${slug}`);
      expect(await contract.slug()).to.equal(slug);
      await expectRevert(deploy({ slug: "" }), "EmptySlug");
      await expectRevert(deploy({ slug: `${slug}x` }), "StringTooLong");
    });
  });
});
