import { expect } from "chai";
import { type ArcadeRoles, createPublicParameters } from "../../../deploy/modules/parameters.ts";
import { type Arcade, as, DAY_SECONDS, GAME_ID, TOKEN, useArcade } from "../helpers/arcade.ts";
import { mintIdentities } from "../helpers/identity.ts";
import { signMessage, soon } from "../helpers/sign.ts";
import { expectSnapshot, hashOf } from "../helpers/snapshot.ts";

/** The limits of public networks, which do not depend on the roles. */
const { payoutCooldownSeconds, ...rest } = createPublicParameters({} as ArcadeRoles).rewards;
const PUBLIC_LIMITS = { ...rest, payoutCooldown: BigInt(payoutCooldownSeconds) };
const RATE = PUBLIC_LIMITS.scoreToTokenRate;
/** Points of one portion. */
const PORTION = PUBLIC_LIMITS.maxPayout / RATE;
const DAYS = 30n;
/** What the reference bot of Shell Runners makes in 24 hours (82,415 points an hour, docs/economy.md), as a batch. */
const SESSIONS_PER_DAY = 20n;
const POINTS_PER_SESSION = 98_898n;

describe("payouts under load", () => {
  const arcade = useArcade({ limits: PUBLIC_LIMITS });

  it("pays two bots that play around the clock, every day of 30", async () => {
    const { rewards, token, player, other, operator, keys } = arcade;
    const bots = [player, other];
    for (const bot of bots) await mintIdentities(arcade, 1, bot);
    const play = async (wallet: string, day: bigint) => {
      const items = Array.from({ length: Number(SESSIONS_PER_DAY) }, (_, index) => ({
        gameSessionHash: hashOf(day * SESSIONS_PER_DAY + BigInt(index)),
        gameId: GAME_ID,
        score: POINTS_PER_SESSION,
      }));
      const message = { wallet, items, deadline: await soon(arcade) };
      const signature = await signMessage(arcade, keys.score, "SnapshotBatch", message);
      await as(rewards, operator).snapshotScoresSigned(wallet, items, message.deadline, signature);
    };
    for (const bot of bots) await play(bot.address, 0n);
    for (let day = 1n; day <= DAYS; day += 1n) {
      await arcade.time.increase(DAY_SECONDS);
      for (const bot of bots) {
        const { ready, amount } = await rewards.readiness(bot);
        expect([ready, amount], `day ${day}`).to.deep.equal([true, PUBLIC_LIMITS.maxPayout]);
        await as(rewards, bot).payout(bot);
        await play(bot.address, day);
      }
    }
    const earned = (DAYS + 1n) * SESSIONS_PER_DAY * POINTS_PER_SESSION;
    for (const bot of bots) {
      expect(await token.balanceOf(bot)).to.equal(DAYS * PUBLIC_LIMITS.maxPayout);
      expect(await rewards.getScorebank(bot), "what is above the portions waits").to.equal(earned - DAYS * PORTION);
    }
  });

  it("pays a bank above the day's cap, also after a third party sends one of its snapshots", async () => {
    const { rewards, token, player, thirdParty, guardian, time } = arcade;
    const cap = 4n * TOKEN;
    await as(rewards, guardian).setCaps(cap, PUBLIC_LIMITS.weeklyCap);
    await mintIdentities(arcade, 1);
    await expectSnapshot(arcade, { sequence: 1n, score: 100_000n });
    await time.increase(DAY_SECONDS);
    await expectSnapshot(arcade, { sequence: 2n, score: 1n }, { sender: thirdParty });
    await as(rewards, player).payout(player);
    expect(await token.balanceOf(player)).to.equal(cap);
    expect(await rewards.getScorebank(player)).to.equal(100_001n - cap / RATE);
  });

  /** Eight banks of 10 tokens are paid, then the player's of 60. */
  async function payLargeBankLast(arcade: Arcade): Promise<void> {
    const { rewards, player, operator, connection, time } = arcade;
    const wallets = (await connection.ethers.getSigners()).slice(8, 16);
    for (const wallet of [player, ...wallets]) await mintIdentities(arcade, 1, wallet);
    for (const wallet of wallets) {
      await expectSnapshot(arcade, { wallet: wallet.address, score: 100_000n });
    }
    for (let sequence = 1n; sequence <= 6n; sequence += 1n) {
      await expectSnapshot(arcade, { sequence, score: 100_000n });
    }
    await time.increase(DAY_SECONDS);
    for (const wallet of wallets) await as(rewards, operator).payout(wallet);
    await as(rewards, player).payout(player);
  }

  it("pays a large bank its portion on the first day although eight small ones come before it", async () => {
    await payLargeBankLast(arcade);
    expect(await arcade.token.balanceOf(arcade.player)).to.equal(PUBLIC_LIMITS.maxPayout);
    expect(await arcade.rewards.getScorebank(arcade.player)).to.equal(600_000n - PORTION);
  });

  it("pays a large bank what eight small ones have left of the day", async () => {
    await as(arcade.rewards, arcade.guardian).setCaps(100n * TOKEN, PUBLIC_LIMITS.weeklyCap);
    await payLargeBankLast(arcade);
    expect(await arcade.token.balanceOf(arcade.player)).to.equal(20n * TOKEN);
    expect(await arcade.rewards.getScorebank(arcade.player)).to.equal(400_000n);
  });
});
