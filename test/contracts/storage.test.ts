import { expect } from "chai";
import { AbiCoder, keccak256 } from "ethers";
import { type Arcade, as, DAY_SECONDS, LIMITS, nowSeconds, useArcade } from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { expectGameNftMint, expectGameNftUpgrade } from "./helpers/game-nft.ts";
import { expectIdentityMint, mintIdentities } from "./helpers/identity.ts";
import { expectPayout, makeReady } from "./helpers/payout.ts";
import { expectSnapshot } from "./helpers/snapshot.ts";

/** Places and words of docs/contracts.md, for readers of storage and for proofs. */
describe("storage", () => {
  const arcade = useArcade();

  const wordAt = async ({ connection }: Arcade, contract: AnyContract, slot: bigint | string): Promise<bigint> =>
    BigInt(await connection.ethers.provider.getStorage(await contract.getAddress(), slot));
  const placeOf = (type: string, key: unknown, slot: bigint): string =>
    keccak256(AbiCoder.defaultAbiCoder().encode([type, "uint256"], [key, slot]));

  it("holds the configuration in one word: signer, flags, highest id or score", async () => {
    const { identity, rewards, nft, keys, admin, guardian } = arcade;
    await expectIdentityMint(arcade);
    const plain = BigInt(keys.identity.address) | (1n << 192n);
    expect(await wordAt(arcade, identity, 11n)).to.equal(plain);
    await as(identity, admin).setBaseURI("moved/");
    expect(await wordAt(arcade, identity, 11n)).to.equal(plain | (1n << 162n));
    await as(identity, guardian).pause();
    expect(await wordAt(arcade, identity, 11n)).to.equal(plain | (1n << 162n) | (1n << 161n));
    expect(await wordAt(arcade, nft, 13n)).to.equal(BigInt(keys.nft.address));
    expect(await wordAt(arcade, rewards, 3n)).to.equal(
      BigInt(keys.score.address) | (LIMITS.maxScorePerSession << 192n),
    );
  });

  it("holds the flag of a contract that signs beside its address, in the configuration and in the alternate", async () => {
    const { rewards, admin, keys, thirdParty, time } = arcade;
    await as(rewards, admin).scheduleSigner(thirdParty, true);
    const validFrom = (await nowSeconds(arcade)) + DAY_SECONDS;
    const address = BigInt(thirdParty.address);
    expect(await wordAt(arcade, rewards, 4n)).to.equal(address | (1n << 160n) | (validFrom << 168n));
    await time.increase(DAY_SECONDS);
    await as(rewards, admin).promoteSigner();
    expect(await wordAt(arcade, rewards, 3n)).to.equal(address | (1n << 160n) | (LIMITS.maxScorePerSession << 192n));
    expect(await wordAt(arcade, rewards, 4n)).to.equal(BigInt(keys.score.address) | (validFrom << 168n));
    await as(rewards, admin).revokeSigner(keys.score);
    expect(await wordAt(arcade, rewards, 4n)).to.equal(0n);
    expect(await wordAt(arcade, rewards, placeOf("address", keys.score.address, 5n))).to.equal(1n);
  });

  it("holds a wallet's account in one word, and all payouts in another", async () => {
    const { rewards, player, guardian, admin } = arcade;
    await makeReady(arcade, 500n, 1n);
    await expectPayout(arcade);
    await expectSnapshot(arcade, { score: 77n, sequence: 2n });
    const [first, paidAt] = [await rewards.firstPlayAt(player), await rewards.lastPayoutAt(player)];
    const now = await nowSeconds(arcade);
    expect(await wordAt(arcade, rewards, placeOf("address", player.address, 8n))).to.equal(
      77n | (first << 96n) | (paidAt << 136n) | (now << 176n) | (2n << 216n),
    );
    await as(rewards, guardian).pause();
    const limits = (20_000n << 80n) | (50_000n << 120n) | (15_000n << 160n);
    const paused = 500n | (500n << 40n) | limits | ((paidAt / DAY_SECONDS) << 200n) | (0xffff_ffffn << 224n);
    expect(await wordAt(arcade, rewards, 9n)).to.equal(paused);
    expect(await wordAt(arcade, rewards, 10n)).to.equal(await nowSeconds(arcade));
    await as(rewards, admin).unpause();
    const resumed = (paused & (2n ** 224n - 1n)) | ((await nowSeconds(arcade)) << 224n);
    expect(await wordAt(arcade, rewards, 9n)).to.equal(resumed);
    await as(rewards, guardian).voidPoints([{ wallet: player, points: 7n }]);
    expect(await wordAt(arcade, rewards, placeOf("address", player.address, 13n))).to.equal(7n);
  });

  it("holds a game token's owner and record in one word", async () => {
    await mintIdentities(arcade, 1);
    // An odd minute, so that no bit of the time can go missing unseen.
    const mintedAt = (((await nowSeconds(arcade)) / 60n + 10n) | 1n) * 60n;
    await arcade.time.setNextBlockTimestamp(mintedAt);
    await expectGameNftMint(arcade, { deadline: mintedAt });
    await expectGameNftUpgrade(arcade, { score: 2_500n });
    const record = 2_500n | (1n << 32n) | ((mintedAt / 60n) << 44n) | (((await nowSeconds(arcade)) / 60n) << 70n);
    expect(await wordAt(arcade, arcade.nft, placeOf("uint256", 1n, 6n))).to.equal(
      BigInt(arcade.player.address) | (record << 160n),
    );
  });

  it("holds primary identity, its time, nonce and balance of a wallet in one word", async () => {
    const { identity, player } = arcade;
    await expectIdentityMint(arcade);
    await expectIdentityMint(arcade);
    await as(identity, player).cancelMintNonce();
    await as(identity, player).setPrimaryIdentity(2n);
    expect(await wordAt(arcade, identity, placeOf("address", player.address, 7n))).to.equal(
      2n | ((await nowSeconds(arcade)) << 64n) | (3n << 104n) | (2n << 168n),
    );
  });

  it("holds the state of an agent's wallet beside the identity's owner", async () => {
    const { identity, player, other } = arcade;
    await expectIdentityMint(arcade);
    expect(await wordAt(arcade, identity, placeOf("uint256", 1n, 6n))).to.equal(BigInt(player.address));
    await as(identity, player).transferFrom(player, other, 1n);
    expect(await wordAt(arcade, identity, placeOf("uint256", 1n, 6n))).to.equal(BigInt(other.address) | (2n << 160n));
  });
});
