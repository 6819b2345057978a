import { expect } from "chai";
import { AbiCoder, keccak256 } from "ethers";
import { type Arcade, as, DAY_SECONDS, LIMITS, nowSeconds, useArcade } from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { expectGameNftMint, expectGameNftUpgrade, makeGameNftCall } from "./helpers/game-nft.ts";
import { expectIdentityMint, makeIdentityMint } from "./helpers/identity.ts";
import { expectPayout, makeReady } from "./helpers/payout.ts";
import { expectSnapshot, makeSnapshot } from "./helpers/snapshot.ts";

/** Places and words of docs/contracts.md, for whoever reads storage or writes proofs of it. */
describe("storage", () => {
  const arcadeOf = useArcade();

  const wordAt = async ({ connection }: Arcade, contract: AnyContract, slot: bigint | string): Promise<bigint> =>
    BigInt(await connection.ethers.provider.getStorage(await contract.getAddress(), slot));
  const placeOf = (type: string, key: unknown, slot: bigint): string =>
    keccak256(AbiCoder.defaultAbiCoder().encode([type, "uint256"], [key, slot]));

  it("holds the gate in one word: signer, flags, number", async () => {
    const arcade = arcadeOf();
    const { identity, rewards, nft, keys, admin, guardian } = arcade;
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    const plain = BigInt(keys.identity.address) | (1n << 192n);
    expect(await wordAt(arcade, identity, 13n)).to.equal(plain);
    await as(identity, admin).setBaseURI("moved/");
    expect(await wordAt(arcade, identity, 13n)).to.equal(plain | (1n << 162n));
    await as(identity, guardian).pause();
    expect(await wordAt(arcade, identity, 13n)).to.equal(plain | (1n << 162n) | (1n << 161n));
    expect(await wordAt(arcade, nft, 13n)).to.equal(BigInt(keys.nft.address));
    expect(await wordAt(arcade, rewards, 5n)).to.equal(
      BigInt(keys.score.address) | (LIMITS.maxScorePerSession << 192n),
    );
  });

  it("holds the flag of a contract that signs beside its address, in the gate and in the alternate", async () => {
    const arcade = arcadeOf();
    const { rewards, admin, keys, stranger } = arcade;
    await as(rewards, admin).scheduleSigner(stranger, true);
    const validFrom = (await nowSeconds(arcade)) + DAY_SECONDS;
    const address = BigInt(stranger.address);
    expect(await wordAt(arcade, rewards, 6n)).to.equal(address | (1n << 160n) | (validFrom << 168n));
    await arcade.connection.networkHelpers.time.increase(DAY_SECONDS);
    await as(rewards, admin).promoteSigner();
    expect(await wordAt(arcade, rewards, 5n)).to.equal(address | (1n << 160n) | (LIMITS.maxScorePerSession << 192n));
    expect(await wordAt(arcade, rewards, 6n)).to.equal(BigInt(keys.score.address) | (validFrom << 168n));
    await as(rewards, admin).revokeSigner(keys.score);
    expect(await wordAt(arcade, rewards, 6n)).to.equal(0n);
    expect(await wordAt(arcade, rewards, placeOf("address", keys.score.address, 7n))).to.equal(1n);
  });

  it("holds a wallet's account in one word, and all payouts in another", async () => {
    const arcade = arcadeOf();
    const { rewards, player, guardian } = arcade;
    await makeReady(arcade, 500n, 1n);
    await expectPayout(arcade);
    await expectSnapshot(arcade, await makeSnapshot(arcade, { score: 77n, sequence: 2n }));
    const [first, paidAt] = [await rewards.firstPlayAt(player), await rewards.lastPayoutAt(player)];
    const now = await nowSeconds(arcade);
    expect(await wordAt(arcade, rewards, placeOf("address", player.address, 8n))).to.equal(
      77n | (first << 96n) | (paidAt << 136n) | (now << 176n) | (2n << 216n),
    );
    await as(rewards, guardian).pause();
    const caps = (20_000n << 96n) | (50_000n << 144n);
    expect(await wordAt(arcade, rewards, 9n)).to.equal(
      500n | (500n << 48n) | caps | ((paidAt / DAY_SECONDS) << 192n) | (1n << 224n),
    );
  });

  it("holds a game token's record in one word", async () => {
    const arcade = arcadeOf();
    const call = await makeGameNftCall(arcade);
    // An odd second, so that no bit of the time can go missing unseen.
    const mintedAt = ((await nowSeconds(arcade)) + 10n) | 1n;
    await arcade.connection.networkHelpers.time.setNextBlockTimestamp(mintedAt);
    await expectGameNftMint(arcade, call);
    await expectGameNftUpgrade(arcade, await makeGameNftCall(arcade, { score: 2_500n }));
    expect(await wordAt(arcade, arcade.nft, placeOf("uint256", 7n, 16n))).to.equal(
      2_500n | (3n << 96n) | (mintedAt << 104n) | ((await nowSeconds(arcade)) << 144n) | (1n << 184n),
    );
  });

  it("holds primary identity, nonce and balance of a wallet in one word", async () => {
    const arcade = arcadeOf();
    const { identity, player } = arcade;
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    await as(identity, player).cancelMintNonce();
    await as(identity, player).setPrimaryIdentity(2n);
    expect(await wordAt(arcade, identity, placeOf("address", player.address, 7n))).to.equal(
      2n | (3n << 64n) | (2n << 128n),
    );
  });
});
