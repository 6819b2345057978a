import { expect } from "chai";
import { MaxUint256, ZeroAddress } from "ethers";
import { as, keyOf, nowSeconds, SLUG, THRESHOLDS, useArcade } from "./helpers/arcade.ts";
import { expectGameNftMint, expectGameNftUpgrade, makeGameNftCall, sendGameNft } from "./helpers/game-nft.ts";
import { interfaceIdOf } from "./helpers/interface-id.ts";

describe("GameNFT", () => {
  const arcadeOf = useArcade();

  describe("mint", () => {
    it("mints to the named wallet, whoever sends it", async () => {
      const arcade = arcadeOf();
      await expectGameNftMint(arcade, await makeGameNftCall(arcade), { sender: arcade.stranger });
      expect(await arcade.nft.balanceOf(arcade.stranger)).to.equal(0n);
    });

    it("gives each score its tier", async () => {
      const arcade = arcadeOf();
      let agentId = 1n;
      for (const threshold of THRESHOLDS) {
        for (const score of [threshold, threshold + 1n]) {
          await expectGameNftMint(arcade, await makeGameNftCall(arcade, { agentId, score }));
          agentId += 1n;
        }
      }
    });

    it("refuses a score below the first tier, a second mint and what no record can hold", async () => {
      const arcade = arcadeOf();
      const { nft } = arcade;
      const mint = (changes: object) => async () =>
        sendGameNft(arcade, "MintGameNft", await makeGameNftCall(arcade, changes));
      await expect(mint({ score: 99n })())
        .to.be.revertedWithCustomError(nft, "ScoreBelowFirstTier")
        .withArgs(99n, 100n);
      await expect(mint({ score: 2n ** 96n })())
        .to.be.revertedWithCustomError(nft, "ScoreOutOfRange")
        .withArgs(2n ** 96n, 2n ** 96n - 1n);
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { agentId: 8n, score: 2n ** 96n - 1n }));
      await expectGameNftMint(arcade, await makeGameNftCall(arcade));
      await expect(mint({ score: 900n })())
        .to.be.revertedWithCustomError(nft, "AlreadyMinted")
        .withArgs(7n);
      await expect(mint({ agentId: 9n, wallet: ZeroAddress })()).to.be.revertedWithCustomError(
        nft,
        "ERC721InvalidReceiver",
      );
    });

    it("refuses foreign keys, messages of the other kind, and times outside their bounds", async () => {
      const arcade = arcadeOf();
      const { nft } = arcade;
      const call = await makeGameNftCall(arcade);
      await expect(sendGameNft(arcade, "MintGameNft", call, { key: keyOf("thief") }))
        .to.be.revertedWithCustomError(nft, "InvalidSignature")
        .withArgs(keyOf("thief").address);
      await expect(sendGameNft(arcade, "MintGameNft", call, { key: arcade.keys.score })).to.be.revertedWithCustomError(
        nft,
        "InvalidSignature",
      );
      const now = await nowSeconds(arcade);
      for (const [deadline, error] of [
        [now - 1n, "DeadlineExpired"],
        [now + 90_000n, "DeadlineTooFar"],
      ] as const) {
        await expect(sendGameNft(arcade, "MintGameNft", { ...call, deadline })).to.be.revertedWithCustomError(
          nft,
          error,
        );
      }
    });
  });

  describe("upgrade", () => {
    it("raises score and tier, and counts", async () => {
      const arcade = arcadeOf();
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { score: 100n }));
      await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: 101n }), { sender: arcade.stranger });
      await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: 2_000n }));
      await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: 2n ** 96n - 1n }));
    });

    it("refuses scores that are not higher, so that no message works twice", async () => {
      const arcade = arcadeOf();
      const { nft } = arcade;
      await expectGameNftMint(arcade, await makeGameNftCall(arcade, { score: 600n }));
      const upgrade = await makeGameNftCall(arcade, { score: 700n });
      await expectGameNftUpgrade(arcade, upgrade);
      for (const score of [700n, 699n, 0n]) {
        await expect(sendGameNft(arcade, "UpgradeGameNft", { ...upgrade, score }))
          .to.be.revertedWithCustomError(nft, "ScoreNotHigher")
          .withArgs(score, 700n);
      }
      await expect(
        sendGameNft(arcade, "UpgradeGameNft", { ...upgrade, score: MaxUint256 }),
      ).to.be.revertedWithCustomError(nft, "ScoreOutOfRange");
    });

    it("needs the token, and goes on with whoever owns it", async () => {
      const arcade = arcadeOf();
      const { nft, player, other } = arcade;
      const upgrade = await makeGameNftCall(arcade, { score: 900n });
      await expect(sendGameNft(arcade, "UpgradeGameNft", upgrade))
        .to.be.revertedWithCustomError(nft, "ERC721NonexistentToken")
        .withArgs(7n);
      await expectGameNftMint(arcade, await makeGameNftCall(arcade));
      await as(nft, player).transferFrom(player, other, 7n);
      await expect(sendGameNft(arcade, "UpgradeGameNft", upgrade))
        .to.be.revertedWithCustomError(nft, "NotTokenOwner")
        .withArgs(player.address, 7n);
      await expectGameNftUpgrade(arcade, { ...upgrade, wallet: other.address });
    });
  });

  describe("administer", () => {
    it("moves metadata", async () => {
      const arcade = arcadeOf();
      const { nft, admin, guardian } = arcade;
      await expectGameNftMint(arcade, await makeGameNftCall(arcade));
      expect(await nft.tokenURI(7n)).to.equal("https://arcade.example/api/metadata/flappybots/7.json");
      const moved = as(nft, admin).setBaseURI("ipfs://wings/");
      await expect(moved).to.emit(nft, "BaseURISet").withArgs("ipfs://wings/");
      await expect(moved).to.emit(nft, "BatchMetadataUpdate").withArgs(1n, MaxUint256);
      expect(await nft.tokenURI(7n)).to.equal("ipfs://wings/7.json");
      for (const call of [
        (contract: typeof nft) => contract.setBaseURI(""),
        (contract: typeof nft) => contract.setContractURI(""),
        (contract: typeof nft) => contract.setRoyalty(guardian.address, 1n),
      ]) {
        await expect(call(as(nft, guardian))).to.be.revertedWithCustomError(nft, "AccessControlUnauthorizedAccount");
      }
      await expect(nft.tokenURI(8n)).to.be.revertedWithCustomError(nft, "ERC721NonexistentToken");
    });

    it("describes the collection (ERC-7572)", async () => {
      const { nft, admin } = arcadeOf();
      expect(await nft.contractURI()).to.equal(
        'data:application/json;utf8,{"name":"Flappybots Wings","symbol":"WINGS"}',
      );
      await expect(as(nft, admin).setContractURI("ipfs://c")).to.emit(nft, "ContractURIUpdated");
      expect(await nft.contractURI()).to.equal("ipfs://c");
    });

    it("names the royalty (ERC-2981)", async () => {
      const { nft, admin, treasury, other } = arcadeOf();
      expect((await nft.royaltyInfo(7n, 10_000n)).toArray()).to.deep.equal([treasury.address, 250n]);
      await expect(as(nft, admin).setRoyalty(other.address, 500n))
        .to.emit(nft, "RoyaltySet")
        .withArgs(other.address, 500n);
      expect((await nft.royaltyInfo(7n, 10_000n)).toArray()).to.deep.equal([other.address, 500n]);
      await expect(as(nft, admin).setRoyalty(other.address, 10_001n)).to.be.revertedWithCustomError(
        nft,
        "ERC2981InvalidDefaultRoyalty",
      );
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
      expect(await nft.supportsInterface(await interfaceIdOf("IGameNFT"))).to.equal(true);
      expect(await nft.supportsInterface(await interfaceIdOf("IAgentIdentity"))).to.equal(false);
      expect(await nft.supportsInterface("0xffffffff")).to.equal(false);
    });
  });

  describe("deploy", () => {
    const deploy = (changes: { slug?: string; thresholds?: bigint[] }) => {
      const { connection, admin, keys, treasury } = arcadeOf();
      const duties = {
        admin: admin.address,
        adminDelaySeconds: 0n,
        guardian: ZeroAddress,
        signer: keys.nft.address,
        signerIsContract: false,
        signerDelaySeconds: 0n,
      };
      const { slug = "a", thresholds = [1n] } = changes;
      return connection.ethers.deployContract("GameNFT", [
        duties,
        slug,
        "N",
        "S",
        thresholds,
        "",
        treasury.address,
        0n,
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
      const arcade = arcadeOf();
      const first = 2n ** 32n - 1n;
      const nft = (await deploy({ slug: SLUG, thresholds: [first] })) as unknown as typeof arcade.nft;
      const changed = { ...arcade, nft, addresses: { ...arcade.addresses, nft: await nft.getAddress() } };
      await expect(sendGameNft(changed, "MintGameNft", await makeGameNftCall(changed, { score: first - 1n })))
        .to.be.revertedWithCustomError(nft, "ScoreBelowFirstTier")
        .withArgs(first - 1n, first);
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
