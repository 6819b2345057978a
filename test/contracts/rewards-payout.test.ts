import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { as, DAY_SECONDS, FLOAT, LIMITS, nowSeconds, TOKEN, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
import { expectIdentityMint } from "./helpers/identity.ts";
import { expectNotReady, expectPayout, makeReady, REASONS } from "./helpers/payout.ts";
import { expectSnapshot } from "./helpers/snapshot.ts";

/** The highest score of one session; larger banks are put together from several. */
const SESSION = LIMITS.maxScorePerSession;

describe("RewardsV2: payout", () => {
  const arcade = useArcade();
  const waiting = REASONS.cooldown | REASONS.identityTooNew;

  /** Adds sessions of the highest score, from this sequence on. */
  const fill = async (sessions: bigint, from: bigint, wallet = arcade.player.address) => {
    for (let sequence = from; sequence < from + sessions; sequence += 1n) {
      await expectSnapshot(arcade, { wallet, sequence, score: SESSION });
    }
  };
  /** Gives both wallets an identity, and the player `sessions` of the highest score. */
  const begin = async (sessions: bigint) => {
    const { other, time } = arcade;
    await expectIdentityMint(arcade);
    await expectIdentityMint(arcade, { to: other.address }, { sender: other });
    await fill(sessions, 1n);
    return { ...arcade, time: time };
  };

  it("pays the whole scorebank to the wallet", async () => {
    await makeReady(arcade, 500n);
    await expectPayout(arcade);
    expect(await arcade.rewards.getScorebank(arcade.player)).to.equal(0n);
  });

  it("may be relayed by the operator, and by no other account", async () => {
    const { rewards, thirdParty, admin, operator } = arcade;
    await makeReady(arcade);
    for (const sender of [thirdParty, admin]) {
      await expectRevert(as(rewards, sender).payout(arcade.player), "NotWalletOrOperator", sender.address);
    }
    await expectPayout(arcade, operator);
  });

  it("waits for the cooldown, from the first snapshot on and between payouts", async () => {
    await expectIdentityMint(arcade);
    const since = await nowSeconds(arcade);
    await expectSnapshot(arcade);
    const first = (await nowSeconds(arcade)) + DAY_SECONDS;
    await expectNotReady(arcade, waiting, "CooldownActive", [first]);
    expect((await arcade.rewards.readiness(arcade.player)).nextPayoutAt).to.equal(first);
    // A later snapshot does not move it.
    await arcade.time.increaseTo(first - 100n);
    await expectSnapshot(arcade, { sequence: 2n });
    await expectNotReady(arcade, waiting, "CooldownActive", [first]);
    // The identity is older than the first snapshot.
    expect(since).to.be.lessThan(first - DAY_SECONDS);
    await arcade.time.increaseTo(first - 1n);
    await expectNotReady(arcade, REASONS.cooldown, "CooldownActive", [first]);
    await arcade.time.increaseTo(first);
    await expectPayout(arcade);
    const second = (await nowSeconds(arcade)) + DAY_SECONDS;
    await expectSnapshot(arcade, { sequence: 3n });
    await expectNotReady(arcade, REASONS.cooldown, "CooldownActive", [second]);
    await arcade.time.increaseTo(second);
    await expectPayout(arcade);
  });

  it("refuses an empty scorebank, and one below the minimum", async () => {
    await expectIdentityMint(arcade);
    await arcade.time.increase(DAY_SECONDS);
    await expectNotReady(arcade, REASONS.empty, "ScorebankEmpty", [arcade.player.address]);
    await expectSnapshot(arcade, { score: LIMITS.minScore - 1n });
    await arcade.time.increase(DAY_SECONDS);
    await expectNotReady(arcade, REASONS.minimum, "BelowMinimum", [LIMITS.minScore - 1n, LIMITS.minScore]);
    await expectSnapshot(arcade, { sequence: 2n, score: 1n });
    await expectPayout(arcade);
    await arcade.time.increase(DAY_SECONDS);
    await expectNotReady(arcade, REASONS.empty, "ScorebankEmpty", [arcade.player.address]);
  });

  it("names neither a scorebank nor a cap that is just the minimum", async () => {
    const { rewards, guardian, player } = arcade;
    await makeReady(arcade, LIMITS.minScore - 1n);
    const least = LIMITS.minScore * TOKEN;
    await as(rewards, guardian).setCaps(least, least);
    expect((await rewards.readiness(player)).reasons).to.equal(REASONS.minimum);
    await expectSnapshot(arcade, { sequence: 2n, score: 1n });
    await as(rewards, guardian).setCaps(least - TOKEN, least - TOKEN);
    expect((await rewards.readiness(player)).reasons).to.equal(REASONS.daily | REASONS.weekly);
  });

  it("needs a primary identity that has been held for a whole cooldown", async () => {
    const { identity, player, other, time } = arcade;
    await makeReady(arcade);
    await as(identity, player).transferFrom(player, other, 1n);
    await expectNotReady(arcade, REASONS.identity, "IdentityRequired", [player.address]);
    await as(identity, other).transferFrom(other, player, 1n);
    // The transfer back does not choose it.
    await expectNotReady(arcade, REASONS.identity, "IdentityRequired", [player.address]);
    expect((await arcade.rewards.readiness(player)).nextPayoutAt).to.equal(0n);
    await as(identity, player).setPrimaryIdentity(1n);
    const from = (await nowSeconds(arcade)) + DAY_SECONDS;
    await expectNotReady(arcade, REASONS.identityTooNew, "IdentityTooNew", [player.address, from]);
    expect((await arcade.rewards.readiness(player)).nextPayoutAt).to.equal(from);
    await time.increaseTo(from - 1n);
    await expectNotReady(arcade, REASONS.identityTooNew, "IdentityTooNew", [player.address, from]);
    await time.increaseTo(from);
    await expectPayout(arcade);
  });

  it("waits for the cooldown with a single point, too", async () => {
    await expectIdentityMint(arcade);
    await expectSnapshot(arcade, { score: 1n });
    const { reasons } = await arcade.rewards.readiness(arcade.player);
    expect(reasons).to.equal(REASONS.minimum | waiting);
  });

  it("names every reason at once", async () => {
    const { rewards, guardian, admin, player } = arcade;
    const score = LIMITS.minScore - 1n;
    await expectSnapshot(arcade, { score });
    await as(rewards, admin).withdraw(admin, FLOAT);
    await as(rewards, guardian).setCaps(score * TOKEN, score * TOKEN);
    await as(rewards, guardian).pause();
    const { empty: _, identityTooNew: __, ...others } = REASONS;
    const all = Object.values(others).reduce((sum, bit) => sum | bit, 0n);
    const answer = await rewards.readiness(player);
    expect(answer.toArray()).to.deep.equal([false, all, 0n, score * TOKEN]);
    expect((await rewards.readiness(ZeroAddress)).reasons).to.equal(
      REASONS.empty | REASONS.daily | REASONS.weekly | REASONS.paused | REASONS.identity,
    );
  });

  describe("in portions", () => {
    it("pays at most maxPayout at a time and keeps the rest in the bank", async () => {
      const arcade = await begin(4n);
      const { rewards, player, time } = arcade;
      const most = LIMITS.maxPayout / TOKEN;
      expect(await rewards.maxPayout()).to.equal(LIMITS.maxPayout);
      for (const [left, paid] of [
        [4n * SESSION - most, most],
        [4n * SESSION - 2n * most, most],
        [0n, 4n * SESSION - 2n * most],
      ] as const) {
        await time.increase(DAY_SECONDS);
        expect((await rewards.readiness(player)).amount).to.equal(paid * TOKEN);
        await expectPayout(arcade);
        expect(await rewards.getScorebank(player)).to.equal(left);
      }
    });

    it("pays what the day leaves to the wallet that comes second, and the rest a day later", async () => {
      const arcade = await begin(1n);
      const { rewards, player, other, time } = arcade;
      await fill(2n, 1n, other.address);
      await time.increase(DAY_SECONDS);
      await expectPayout(arcade, other, other.address);
      expect(await rewards.getDailyRemaining()).to.equal(LIMITS.dailyCap - LIMITS.maxPayout);
      await expectPayout(arcade);
      expect(await rewards.getDailyRemaining()).to.equal(0n);
      expect(await rewards.getScorebank(player)).to.equal(SESSION - 5_000n);
      await time.increase(DAY_SECONDS);
      await expectPayout(arcade);
      expect(await rewards.getScorebank(player)).to.equal(0n);
    });

    it("refuses where the day leaves less than the minimum, and goes on the next day", async () => {
      const arcade = await begin(2n);
      const { rewards, player, other, guardian, time } = arcade;
      await fill(1n, 1n, other.address);
      await time.increase(DAY_SECONDS);
      const cap = SESSION + LIMITS.minScore - 1n;
      await as(rewards, guardian).setCaps(cap * TOKEN, LIMITS.weeklyCap);
      await expectPayout(arcade, other, other.address);
      const remaining = (LIMITS.minScore - 1n) * TOKEN;
      await expectNotReady(arcade, REASONS.daily, "CapExceeded", [remaining]);
      expect((await rewards.readiness(player)).amount).to.equal(remaining);
      const tomorrow = ((await nowSeconds(arcade)) / DAY_SECONDS + 1n) * DAY_SECONDS;
      expect((await rewards.readiness(player)).nextPayoutAt).to.equal(tomorrow);
      await time.increaseTo(tomorrow - 1n);
      await expectNotReady(arcade, REASONS.daily, "CapExceeded", [remaining]);
      await time.increaseTo(tomorrow);
      expect(await rewards.getDailyRemaining()).to.equal(cap * TOKEN);
      await expectPayout(arcade);
    });

    it("names the time and pays exactly the minimum where a cap is no more", async () => {
      const arcade = await begin(1n);
      const { rewards, guardian, player, time } = arcade;
      await as(rewards, guardian).setCaps(LIMITS.minScore * TOKEN, LIMITS.weeklyCap);
      const { nextPayoutAt } = await rewards.readiness(player);
      expect(nextPayoutAt > (await nowSeconds(arcade))).to.equal(true);
      await time.increaseTo(nextPayoutAt);
      await expectPayout(arcade);
      expect(await rewards.getScorebank(player)).to.equal(SESSION - LIMITS.minScore);
    });

    it("stops at what the week leaves, and goes on on Monday", async () => {
      const arcade = await begin(6n);
      const { rewards, time, player } = arcade;
      // The first snapshot is on a Monday, so the payouts are on Tuesday, Wednesday, Thursday and Friday.
      for (const left of [35_000n, 20_000n, 5_000n, 0n]) {
        await time.increase(DAY_SECONDS);
        await expectPayout(arcade);
        expect(await rewards.getWeeklyRemaining()).to.equal(left * TOKEN);
      }
      expect(await rewards.getScorebank(player)).to.equal(10_000n);
      await time.increase(DAY_SECONDS);
      await expectNotReady(arcade, REASONS.weekly, "CapExceeded", [0n]);
      const monday = (await rewards.readiness(player)).nextPayoutAt;
      expect(new Date(Number(monday) * 1000).getUTCDay()).to.equal(1);
      expect(monday % DAY_SECONDS).to.equal(0n);
      await time.increaseTo(monday - 1n);
      await expectNotReady(arcade, REASONS.weekly, "CapExceeded", [0n]);
      await time.increaseTo(monday);
      expect(await rewards.getWeeklyRemaining()).to.equal(LIMITS.weeklyCap);
      await expectPayout(arcade);
    });

    it("says that no time helps where a cap is below the minimum", async () => {
      const arcade = await begin(1n);
      const { rewards, guardian, player, time } = arcade;
      await time.increase(DAY_SECONDS);
      const low = (LIMITS.minScore - 1n) * TOKEN;
      await as(rewards, guardian).setCaps(low, LIMITS.weeklyCap);
      expect((await rewards.readiness(player)).toArray()).to.deep.equal([false, REASONS.daily, 0n, low]);
      await as(rewards, guardian).setCaps(low, low);
      const both = REASONS.daily | REASONS.weekly;
      expect((await rewards.readiness(player)).toArray()).to.deep.equal([false, both, 0n, low]);
    });

    it("names the later of the times that a day and a week end", async () => {
      const arcade = await begin(2n);
      const { rewards, guardian, other, player, time } = arcade;
      await fill(1n, 1n, other.address);
      await time.increase(DAY_SECONDS);
      await as(rewards, guardian).setCaps(SESSION * TOKEN, SESSION * TOKEN);
      await expectPayout(arcade, other, other.address);
      const answer = await rewards.readiness(player);
      expect(answer.reasons).to.equal(REASONS.daily | REASONS.weekly);
      // Weeks begin on Monday, and day 0 was a Thursday.
      const week = ((await nowSeconds(arcade)) / DAY_SECONDS + 3n) / 7n;
      expect(answer.nextPayoutAt).to.equal(((week + 1n) * 7n - 3n) * DAY_SECONDS);
    });

    it("leaves nothing where a cap was lowered below what was paid", async () => {
      const { rewards, guardian } = arcade;
      await makeReady(arcade, 500n);
      await expectPayout(arcade);
      await as(rewards, guardian).setCaps(100n * TOKEN, 200n * TOKEN);
      expect(await rewards.getDailyRemaining()).to.equal(0n);
      expect(await rewards.getWeeklyRemaining()).to.equal(0n);
    });
  });

  describe("float", () => {
    it("is all that can be paid", async () => {
      const { rewards, admin, token, treasury } = arcade;
      await makeReady(arcade, 500n);
      const withdrawn = as(rewards, admin).withdraw(treasury, FLOAT - 499n * TOKEN);
      await expectEvent(withdrawn, rewards, "FloatWithdrawn", treasury.address, FLOAT - 499n * TOKEN);
      await expectNotReady(arcade, REASONS.float, "FloatTooLow", [499n * TOKEN, 500n * TOKEN]);
      await as(token, treasury).approve(rewards, TOKEN);
      await expectEvent(as(rewards, treasury).fund(TOKEN), rewards, "FloatFunded", treasury.address, TOKEN);
      await expectPayout(arcade);
      expect(await rewards.floatBalance()).to.equal(0n);
    });

    it("is withdrawn by only the admin", async () => {
      const { rewards, guardian, operator, player } = arcade;
      for (const sender of [guardian, operator, player]) {
        await expectRevert(as(rewards, sender).withdraw(sender, 1n), "AccessControlUnauthorizedAccount");
      }
    });
  });
});
