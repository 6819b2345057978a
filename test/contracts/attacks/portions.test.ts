import { expect } from "chai";
import { as, DAY_SECONDS, deployArcade, GAME_ID, TOKEN, useArcade } from "../helpers/arcade.ts";
import { mintIdentities } from "../helpers/identity.ts";
import { signMessage, soon } from "../helpers/sign.ts";
import { expectSnapshot, hashOf, makeSnapshot } from "../helpers/snapshot.ts";

const RATE = TOKEN / 100n;
/** The limits of public networks (deploy/modules/parameters.ts). */
const PUBLIC_LIMITS = {
  scoreToTokenRate: RATE,
  minScore: 100n,
  maxScorePerSession: 100_000n,
  maxPayout: 5_000n * TOKEN,
  dailyCap: 20_000n * TOKEN,
  weeklyCap: 100_000n * TOKEN,
};
const DAYS = 30n;
/** 1,886 points in 111 seconds, around the clock: what a reference bot makes a day, as sessions of a batch. */
const SESSIONS_PER_DAY = 15n;
const POINTS_PER_SESSION = 97_867n;

describe("payouts under load", () => {
  const arcadeOf = useArcade({ limits: PUBLIC_LIMITS });

  it("pays two bots that play around the clock, every day of 30", async () => {
    const arcade = arcadeOf();
    const { rewards, token, player, other, operator, keys, connection } = arcade;
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
      await connection.networkHelpers.time.increase(DAY_SECONDS);
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
      expect(await rewards.getScorebank(bot)).to.equal(earned - (DAYS * PUBLIC_LIMITS.maxPayout) / RATE);
    }
  });

  it("pays a bank above the day's cap, also after a stranger sends one of its snapshots", async () => {
    const arcade = arcadeOf();
    const { rewards, token, player, stranger, connection } = arcade;
    await mintIdentities(arcade, 1);
    for (let sequence = 1n; sequence <= 21n; sequence += 1n) {
      await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence, score: 100_000n }));
    }
    await connection.networkHelpers.time.increase(DAY_SECONDS);
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 22n, score: 1n }), { sender: stranger });
    await as(rewards, player).payout(player);
    expect(await token.balanceOf(player)).to.equal(PUBLIC_LIMITS.maxPayout);
    expect(await rewards.getScorebank(player)).to.equal(2_100_001n - 500_000n);
  });

  it("pays a large bank on the first day although eight small ones come before it", async () => {
    const arcade = await deployArcade(arcadeOf().connection, {
      limits: { ...PUBLIC_LIMITS, maxPayout: PUBLIC_LIMITS.dailyCap },
    });
    const { rewards, player, operator, connection } = arcade;
    const wallets = (await connection.ethers.getSigners()).slice(8, 16);
    for (const wallet of [player, ...wallets]) await mintIdentities(arcade, 1, wallet);
    for (const wallet of wallets) {
      await expectSnapshot(arcade, await makeSnapshot(arcade, { wallet: wallet.address, score: 100_000n }));
    }
    for (let sequence = 1n; sequence <= 15n; sequence += 1n) {
      await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence, score: 100_000n }));
    }
    await connection.networkHelpers.time.increase(DAY_SECONDS);
    for (const wallet of wallets) await as(rewards, operator).payout(wallet);
    const left = await rewards.getDailyRemaining();
    expect(left).to.equal(12_000n * TOKEN);
    await as(rewards, player).payout(player);
    expect(await rewards.getScorebank(player)).to.equal(1_500_000n - left / RATE);
  });
});
