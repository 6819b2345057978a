import { expect } from "chai";
import { type AnySigner, type Arcade, as, DAY_SECONDS, LIMITS, nowSeconds } from "./arcade.ts";
import { expectEvent } from "./expect.ts";
import { expectIdentityMint } from "./identity.ts";
import { expectSnapshot } from "./snapshot.ts";

export const REASONS = {
  empty: 1n << 0n,
  minimum: 1n << 1n,
  cooldown: 1n << 2n,
  daily: 1n << 3n,
  weekly: 1n << 4n,
  float: 1n << 5n,
  paused: 1n << 6n,
  identity: 1n << 7n,
  identityTooNew: 1n << 8n,
} as const;

/** Gives the player an identity and points, and lets the cooldown pass: after this nothing stands in the way. */
export async function makeReady(arcade: Arcade, score = 500n, sequence = 1n): Promise<void> {
  await expectIdentityMint(arcade);
  await expectSnapshot(arcade, { score, sequence });
  await arcade.time.increase(LIMITS.payoutCooldown);
}

/** Pays what the bank and the limits allow and checks return value, event, balances and stored record together. */
export async function expectPayout(arcade: Arcade, sender: AnySigner = arcade.player, wallet = arcade.player.address) {
  const { rewards, token } = arcade;
  const [account, balance, float] = await Promise.all([
    rewards.accountOf(wallet),
    token.balanceOf(wallet),
    rewards.floatBalance(),
  ]);
  const [daily, weekly] = await Promise.all([rewards.getDailyRemaining(), rewards.getWeeklyRemaining()]);
  const most = [account.scorebank, ...[LIMITS.maxPayout, daily, weekly].map((cap) => cap / LIMITS.scoreToTokenRate)];
  const points = most.reduce((least, cap) => (cap < least ? cap : least));
  const amount = points * LIMITS.scoreToTokenRate;
  const ready = await rewards.readiness(wallet);
  expect(ready.toObject()).to.deep.equal({ ready: true, reasons: 0n, nextPayoutAt: 0n, amount });
  expect(await as(rewards, sender).payout.staticCall(wallet)).to.equal(amount);

  const sent = await as(rewards, sender).payout(wallet);
  const now = await nowSeconds(arcade);
  await expectEvent(sent, rewards, "Payout", wallet, now / DAY_SECONDS, points, amount, account.scorebank - points);
  await expectEvent(sent, token, "Transfer", await rewards.getAddress(), wallet, amount);
  expect(await token.balanceOf(wallet)).to.equal(balance + amount);
  expect(await rewards.floatBalance()).to.equal(float - amount);
  expect(await rewards.getScorebank(wallet)).to.equal(account.scorebank - points);
  expect(await rewards.lastPayoutAt(wallet)).to.equal(now);
  expect(await rewards.firstPlayAt(wallet)).to.equal(account.firstPlayAt);
  expect(await rewards.getDailyRemaining()).to.equal(daily - amount);
  expect(await rewards.getWeeklyRemaining()).to.equal(weekly - amount);
}

/** What `readiness` says, checked against `payout`: both must agree. */
export async function expectNotReady(arcade: Arcade, reasons: bigint, error: string, args: unknown[]): Promise<void> {
  const answer = await arcade.rewards.readiness(arcade.player.address);
  expect(answer.ready).to.equal(false);
  expect(answer.reasons).to.equal(reasons);
  const thrown = expect(
    as(arcade.rewards, arcade.player).payout.staticCall(arcade.player.address, { blockTag: "latest" }),
  );
  await thrown.to.be.revertedWithCustomError(arcade.rewards, error).withArgs(...args);
}
