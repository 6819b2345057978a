import { expect } from "chai";
import { MaxUint256, ZeroAddress } from "ethers";
import { type Arcade, as, SLUG, useArcade } from "./helpers/arcade.ts";
import { expectGameNftMint, expectGameNftUpgrade, makeGameNftCall, sendGameNft } from "./helpers/game-nft.ts";
import { mintIdentities } from "./helpers/identity.ts";
import { interfaceIdOf } from "./helpers/interface-id.ts";

/** The highest score that a record holds. */
const MAX_SCORE = 2n ** 32n - 1n;

describe("GameNFT", () => {
  const arcadeOf = useArcade();
  /** The arcade with the player's identity 1. */
  const withIdentity = async (): Promise<Arcade> => {
    await mintIdentities(arcadeOf(), 1);
    return arcadeOf();
  };

  describe("administer", () => {
    it("moves metadata", async () => {
      const arcade = await withIdentity();
      const { nft, admin, guardian } = arcade;
      await expectGameNftMint(arcade, await makeGameNftCall(arcade));
      expect(await nft.tokenURI(1n)).to.equal("https://arcade.example/api/metadata/flappybots/1.json");
      const moved = as(nft, admin).setBaseURI("ipfs://wings/");
      await expect(moved).to.emit(nft, "BaseURISet").withArgs("ipfs://wings/");
      await expect(moved).to.emit(nft, "BatchMetadataUpdate").withArgs(1n, MaxUint256);
      expect(await nft.tokenURI(1n)).to.equal("ipfs://wings/1.json");
      for (const call of [
        (contract: typeof nft) => contract.setBaseURI(""),
        (contract: typeof nft) => contract.setContractURI(""),
        (contract: typeof nft) => contract.setRoyalty(guardian.address, 1n),
      ]) {
        await expect(call(as(nft, guardian))).to.be.revertedWithCustomError(nft, "AccessControlUnauthorizedAccount");
      }
      await expect(nft.tokenURI(8n)).to.be.revertedWithCustomError(nft, "ERC721NonexistentToken");
    });

    it("annuls a record, which an upgrade with the true score makes good", async () => {
      const arcade = await withIdentity();
      const { nft, guardian, admin, thirdParty, player } = arcade;
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { score: MAX_SCORE }));
      await expect(as(nft, thirdParty).annul(1n)).to.be.revertedWithCustomError(nft, "NotGuardian");
      const { mintedAt } = await nft.recordOf(1n);
      const sent = as(nft, guardian).annul(1n);
      await expect(sent).to.emit(nft, "GameNftAnnulled").withArgs(1n, MAX_SCORE, guardian.address);
      await expect(sent).to.emit(nft, "MetadataUpdate").withArgs(1n);
      expect((await nft.recordOf(1n)).toArray()).to.deep.equal([0n, 0n, mintedAt, 0n, 0n]);
      expect(await nft.ownerOf(1n)).to.equal(player.address);
      await expect(sendGameNft(arcade, "UpgradeGameNft", await makeGameNftCall(arcade, { score: 99n })))
        .to.be.revertedWithCustomError(nft, "ScoreBelowFirstTier")
        .withArgs(99n, 100n);
      await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: 500n }));
      await as(nft, admin).annul(1n);
      await expect(as(nft, guardian).annul(2n)).to.be.revertedWithCustomError(nft, "ERC721NonexistentToken");
    });

    it("keeps an annulled record down against a signature that is still valid only once its signer is revoked", async () => {
      const arcade = await withIdentity();
      const { nft, guardian, thirdParty } = arcade;
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { score: 500n }));
      const upgrade = await makeGameNftCall(arcade, { score: MAX_SCORE });
      const send = () => sendGameNft(arcade, "UpgradeGameNft", upgrade, { sender: thirdParty });
      await send();
      await as(nft, guardian).annul(1n);
      await send();
      expect((await nft.recordOf(1n)).score).to.equal(MAX_SCORE);
      await as(nft, guardian).revokeSigner((await nft.signer()).account);
      await as(nft, guardian).annul(1n);
      await expect(send()).to.be.revertedWithCustomError(nft, "InvalidSignature");
    });

    it("describes the collection (ERC-7572)", async () => {
      const { nft, admin } = arcadeOf();
      const uri: string = await nft.contractURI();
      expect(uri).to.equal(
        "data:application/json;charset=utf-8,%7B%22name%22%3A%22Flappybots%20Wings%22%2C%22symbol%22%3A%22WINGS%22%7D",
      );
      expect(await (await fetch(uri)).json()).to.deep.equal({ name: "Flappybots Wings", symbol: "WINGS" });
      await expect(as(nft, admin).setContractURI("ipfs://c")).to.emit(nft, "ContractURIUpdated");
      expect(await nft.contractURI()).to.equal("ipfs://c");
    });

    it("names the royalty (ERC-2981)", async () => {
      const { nft, admin, treasury, other } = arcadeOf();
      expect((await nft.royaltyInfo(1n, 10_000n)).toArray()).to.deep.equal([treasury.address, 250n]);
      await expect(as(nft, admin).setRoyalty(other.address, 500n))
        .to.emit(nft, "RoyaltySet")
        .withArgs(other.address, 500n);
      expect((await nft.royaltyInfo(1n, 10_000n)).toArray()).to.deep.equal([other.address, 500n]);
      expect(await nft.MAX_ROYALTY_BASIS_POINTS()).to.equal(1_000n);
      await as(nft, admin).setRoyalty(other.address, 1_000n);
      await expect(as(nft, admin).setRoyalty(other.address, 1_001n))
        .to.be.revertedWithCustomError(nft, "RoyaltyTooHigh")
        .withArgs(1_001n, 1_000n);
    });

    it("says which interfaces it has", async () => {
      const { nft } = arcadeOf();
      // ERC-165, ERC-721, its metadata, ERC-4906, ERC-2981, ERC-7572, default admin rules.
      for (const interfaceId of [
        "0x01ffc9a7",
        "0x80ac58cd",
        "0x5b5e139f",
        "0x49064906",
        "0x2a55205a",
        "0xe8a3d485",
        "0x31498786",
      ]) {
        expect(await nft.supportsInterface(interfaceId), interfaceId).to.equal(true);
      }
      for (const name of ["IGameNFT", "ICollection"]) {
        expect(await nft.supportsInterface(await interfaceIdOf(name)), name).to.equal(true);
      }
      expect(await nft.supportsInterface(await interfaceIdOf("IAgentIdentity"))).to.equal(false);
      expect(await nft.supportsInterface("0xffffffff")).to.equal(false);
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
      const { connection, admin, keys, treasury, addresses } = arcadeOf();
      const duties = {
        admin: admin.address,
        adminDelaySeconds: 0n,
        guardian: ZeroAddress,
        signer: keys.nft.address,
        signerIsContract: false,
        signerDelaySeconds: 0n,
      };
      const { slug = "a", name = "N", thresholds = [1n], royalty = 0n } = changes;
      return connection.ethers.deployContract("GameNFT", [
        duties,
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
      const { nft } = arcadeOf();
      const eight = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 2n ** 32n - 1n];
      const contract = (await deploy({ thresholds: eight })) as unknown as typeof nft;
      expect(await contract.thresholds()).to.deep.equal(eight);
      expect(await contract.tierOf(2n ** 32n - 1n)).to.equal(8n);
      expect(await contract.tierOf(2n ** 32n - 2n)).to.equal(7n);
      expect(await contract.tierOf(0n)).to.equal(0n);
      const nine = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n];
      for (const thresholds of [[], [0n], [5n, 5n], [5n, 4n], [2n ** 32n], nine]) {
        await expect(deploy({ thresholds })).to.be.revertedWithCustomError(nft, "InvalidThresholds");
      }
    });

    it("tells the whole first threshold to who has not reached it", async () => {
      const arcade = await withIdentity();
      const first = 2n ** 32n - 1n;
      const nft = (await deploy({ slug: SLUG, thresholds: [first] })) as unknown as typeof arcade.nft;
      const changed = { ...arcade, nft, addresses: { ...arcade.addresses, nft: await nft.getAddress() } };
      await expect(sendGameNft(changed, "MintGameNft", await makeGameNftCall(changed, { score: first - 1n })))
        .to.be.revertedWithCustomError(nft, "ScoreBelowFirstTier")
        .withArgs(first - 1n, first);
    });

    it("refuses a missing identity contract and a royalty above the bound", async () => {
      const { nft } = arcadeOf();
      await expect(deploy({ identity: ZeroAddress })).to.be.revertedWithCustomError(nft, "ZeroAddress");
      await expect(deploy({ royalty: 1_001n })).to.be.revertedWithCustomError(nft, "RoyaltyTooHigh");
    });

    it("describes a collection whose name has bytes that a URI reserves", async () => {
      const { nft } = arcadeOf();
      for (const name of ["Pac#Man 100%", 'say "hi" & ?go=1', "Größe/ünïcode 🎮", "a-z.A_Z~09@[`{", "\n\t\\"]) {
        const contract = (await deploy({ name })) as unknown as typeof nft;
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
      const { nft } = arcadeOf();
      const slug = "x".repeat(23);
      const contract = (await deploy({ slug })) as unknown as typeof nft;
      expect((await contract.eip712Domain()).name).to.equal(`GameNFT:${slug}`);
      expect(await contract.slug()).to.equal(slug);
      await expect(deploy({ slug: "" })).to.be.revertedWithCustomError(nft, "EmptySlug");
      await expect(deploy({ slug: `${slug}x` })).to.be.revertedWithCustomError(nft, "StringTooLong");
    });
  });
});
