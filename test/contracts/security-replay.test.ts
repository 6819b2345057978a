import { expect } from "chai";
import { network } from "hardhat";
import { type Arcade, as, deployArcade, useArcade } from "./helpers/arcade.ts";
import { expectRevert } from "./helpers/expect.ts";
import { expectGameNftMint, makeGameNftCall } from "./helpers/game-nft.ts";
import { makeIdentityMint, mintIdentities } from "./helpers/identity.ts";
import { signMessage } from "./helpers/sign.ts";
import { expectSnapshot, makeSnapshot, snapshotArgs } from "./helpers/snapshot.ts";

/** Sends each signed call to `target`, with signatures made for `source`; all must be refused. */
async function expectAllRefused(source: Arcade, target: Arcade): Promise<void> {
  const { player } = target;
  const mint = await makeIdentityMint(target);
  const forIdentity = await signMessage(source, source.keys.identity, "MintIdentity", { ...mint });
  await expectRevert(
    as(target.identity, player).mintIdentityWithSignature(mint.to, mint.metadataDigest, mint.deadline, forIdentity),
    "InvalidSignature",
  );

  const call = await makeGameNftCall(target);
  for (const [kind, method] of [
    ["MintGameNft", "mintSigned"],
    ["UpgradeGameNft", "upgradeSigned"],
  ] as const) {
    const forNft = await signMessage(source, source.keys.nft, kind, { ...call });
    await expectRevert(
      as(target.nft, player)[method](call.wallet, call.agentId, call.score, call.deadline, forNft),
      "InvalidSignature",
    );
  }

  const snapshot = await makeSnapshot(target);
  const forRewards = await signMessage(source, source.keys.score, "Snapshot", { ...snapshot });
  const single = as(target.rewards, player).snapshotScoreSigned(...snapshotArgs(snapshot, forRewards));
  await expectRevert(single, "InvalidSignature");

  const { wallet, deadline, ...item } = snapshot;
  const forBatch = await signMessage(source, source.keys.score, "SnapshotBatch", { wallet, items: [item], deadline });
  const batch = as(target.rewards, player).snapshotScoresSigned(wallet, [item], deadline, forBatch);
  await expectRevert(batch, "InvalidSignature");
}

describe("replay", () => {
  const arcade = useArcade();

  it("is refused by another instance on the same chain", async () => {
    const twin = await deployArcade(arcade.connection);
    expect(twin.addresses.rewards).to.not.equal(arcade.addresses.rewards);
    await expectAllRefused(arcade, twin);
    await expectSnapshot(twin);
  });

  it("is refused by the same addresses on another chain", async () => {
    const other = await network.create({ override: { chainId: 84_532 } });
    const here = await network.create();
    const [source, target] = [await deployArcade(here), await deployArcade(other)];
    expect(target.addresses).to.deep.equal(source.addresses);
    expect([source.chainId, target.chainId]).to.deep.equal([31_337, 84_532]);
    await expectAllRefused(source, target);
    await expectSnapshot(target);
    await Promise.all([other.close(), here.close()]);
  });

  it("is refused by another game, even under the same key", async () => {
    const { nft, keys, player, addresses } = arcade;
    const call = await makeGameNftCall(arcade);
    const signature = await signMessage(
      arcade,
      keys.nft,
      "MintGameNft",
      { ...call },
      { slug: "shellrunners", verifyingContract: addresses.nft },
    );
    const lateMint = as(nft, player).mintSigned(call.wallet, call.agentId, call.score, call.deadline, signature);
    await expectRevert(lateMint, "InvalidSignature");
  });

  it("is refused by the other entry points of the same contract", async () => {
    const { nft, rewards, keys, player } = arcade;
    await mintIdentities(arcade, 2);
    await expectGameNftMint(arcade);
    const call = await makeGameNftCall(arcade, { score: 700n });
    const forMint = await signMessage(arcade, keys.nft, "MintGameNft", { ...call });
    const upgraded = as(nft, player).upgradeSigned(call.wallet, call.agentId, call.score, call.deadline, forMint);
    await expectRevert(upgraded, "InvalidSignature");
    const forUpgrade = await signMessage(arcade, keys.nft, "UpgradeGameNft", { ...call, agentId: 2n });
    const lateMint = as(nft, player).mintSigned(call.wallet, 2n, call.score, call.deadline, forUpgrade);
    await expectRevert(lateMint, "InvalidSignature");
    const snapshot = await makeSnapshot(arcade);
    const { wallet, deadline, ...item } = snapshot;
    const single = await signMessage(arcade, keys.score, "Snapshot", { ...snapshot });
    await expectRevert(rewards.snapshotScoresSigned(wallet, [item], deadline, single), "InvalidSignature");
  });
});
