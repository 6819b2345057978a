import { expect } from "chai";
import { network } from "hardhat";
import { type Arcade, as, deployArcade, keyOf, useArcade } from "./helpers/arcade.ts";
import { expectGameNftMint, makeGameNftCall, sendGameNft } from "./helpers/game-nft.ts";
import { makeIdentityMint, mintIdentities } from "./helpers/identity.ts";
import { signMessage } from "./helpers/sign.ts";
import { expectSnapshot, makeSnapshot, snapshotArgs } from "./helpers/snapshot.ts";

/** Sends each signed call to `target`, with signatures made for `source`; all must be refused. */
async function expectAllRefused(source: Arcade, target: Arcade): Promise<void> {
  const { player } = target;
  const mint = await makeIdentityMint(target);
  const forIdentity = await signMessage(source, source.keys.identity, "MintIdentity", { ...mint });
  await expect(
    as(target.identity, player).mintIdentityWithSignature(mint.to, mint.metadataDigest, mint.deadline, forIdentity),
  ).to.be.revertedWithCustomError(target.identity, "InvalidSignature");

  const call = await makeGameNftCall(target);
  for (const [kind, method] of [
    ["MintGameNft", "mintSigned"],
    ["UpgradeGameNft", "upgradeSigned"],
  ] as const) {
    const forNft = await signMessage(source, source.keys.nft, kind, { ...call });
    await expect(
      as(target.nft, player)[method](call.wallet, call.agentId, call.score, call.deadline, forNft),
    ).to.be.revertedWithCustomError(target.nft, "InvalidSignature");
  }

  const snapshot = await makeSnapshot(target);
  const forRewards = await signMessage(source, source.keys.score, "Snapshot", { ...snapshot });
  await expect(
    as(target.rewards, player).snapshotScoreSigned(...snapshotArgs(snapshot, forRewards)),
  ).to.be.revertedWithCustomError(target.rewards, "InvalidSignature");

  const { wallet, deadline, ...item } = snapshot;
  const forBatch = await signMessage(source, source.keys.score, "SnapshotBatch", { wallet, items: [item], deadline });
  await expect(
    as(target.rewards, player).snapshotScoresSigned(wallet, [item], deadline, forBatch),
  ).to.be.revertedWithCustomError(target.rewards, "InvalidSignature");
}

describe("replay", () => {
  const arcadeOf = useArcade();

  it("is refused by another instance on the same chain", async () => {
    const arcade = arcadeOf();
    const twin = await deployArcade(arcade.connection);
    expect(twin.addresses.rewards).to.not.equal(arcade.addresses.rewards);
    await expectAllRefused(arcade, twin);
    await expectSnapshot(twin, await makeSnapshot(twin));
  });

  it("is refused by the same addresses on another chain", async () => {
    const other = await network.create({ override: { chainId: 84_532 } });
    const here = await network.create();
    const [source, target] = [await deployArcade(here), await deployArcade(other)];
    expect(target.addresses).to.deep.equal(source.addresses);
    expect([source.chainId, target.chainId]).to.deep.equal([31_337, 84_532]);
    await expectAllRefused(source, target);
    await expectSnapshot(target, await makeSnapshot(target));
    await Promise.all([other.close(), here.close()]);
  });

  it("is refused by another game, even under the same key", async () => {
    const arcade = arcadeOf();
    const { nft, keys, player, addresses } = arcade;
    const call = await makeGameNftCall(arcade);
    const signature = await signMessage(
      arcade,
      keys.nft,
      "MintGameNft",
      { ...call },
      { slug: "shellrunners", verifyingContract: addresses.nft },
    );
    await expect(
      as(nft, player).mintSigned(call.wallet, call.agentId, call.score, call.deadline, signature),
    ).to.be.revertedWithCustomError(nft, "InvalidSignature");
  });

  it("is refused by the other entry points of the same contract", async () => {
    const arcade = arcadeOf();
    const { nft, rewards, keys, player } = arcade;
    await mintIdentities(arcade, 2);
    await expectGameNftMint(arcade, await makeGameNftCall(arcade));
    const call = await makeGameNftCall(arcade, { score: 700n });
    const forMint = await signMessage(arcade, keys.nft, "MintGameNft", { ...call });
    await expect(
      as(nft, player).upgradeSigned(call.wallet, call.agentId, call.score, call.deadline, forMint),
    ).to.be.revertedWithCustomError(nft, "InvalidSignature");
    const forUpgrade = await signMessage(arcade, keys.nft, "UpgradeGameNft", { ...call, agentId: 2n });
    await expect(
      as(nft, player).mintSigned(call.wallet, 2n, call.score, call.deadline, forUpgrade),
    ).to.be.revertedWithCustomError(nft, "InvalidSignature");
    const snapshot = await makeSnapshot(arcade);
    const { wallet, deadline, ...item } = snapshot;
    const single = await signMessage(arcade, keys.score, "Snapshot", { ...snapshot });
    await expect(rewards.snapshotScoresSigned(wallet, [item], deadline, single)).to.be.revertedWithCustomError(
      rewards,
      "InvalidSignature",
    );
  });

  it("keeps the keys of the duties apart", async () => {
    const arcade = arcadeOf();
    const { keys, nft, rewards } = arcade;
    for (const key of [keys.identity, keys.score, keyOf("operator")]) {
      await expect(
        sendGameNft(arcade, "MintGameNft", await makeGameNftCall(arcade), { key }),
      ).to.be.revertedWithCustomError(nft, "InvalidSignature");
    }
    const snapshot = await makeSnapshot(arcade);
    const byNftKey = await signMessage(arcade, keys.nft, "Snapshot", { ...snapshot });
    await expect(rewards.snapshotScoreSigned(...snapshotArgs(snapshot, byNftKey))).to.be.revertedWithCustomError(
      rewards,
      "InvalidSignature",
    );
  });
});
