import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { as, DAY_SECONDS, FLOAT, LIMITS, nowSeconds, TOKEN, useArcade } from "./helpers/arcade.ts";
import { expectIdentityMint, makeIdentityMint } from "./helpers/identity.ts";
import { expectNotReady, expectPayout, makeReady, REASONS } from "./helpers/payout.ts";
import { expectSnapshot, makeSnapshot } from "./helpers/snapshot.ts";

/** Points that pass a session's bound are put together from several. */
const SESSION = LIMITS.maxScorePerSession;

describe("RewardsV2: payout", () => {
  const arcadeOf = useArcade();

  it("pays the whole scorebank to the wallet", async () => {
    const arcade = arcadeOf();
    await makeReady(arcade, 500n);
    await expectPayout(arcade);
  });

  it("may be relayed by the operator, and by nobody else", async () => {
    const arcade = arcadeOf();
    const { rewards, stranger, admin, operator } = arcade;
    await makeReady(arcade);
    for (const sender of [stranger, admin]) {
      await expect(as(rewards, sender).payout(arcade.player))
        .to.be.revertedWithCustomError(rewards, "NotWalletOrOperator")
        .withArgs(sender.address);
    }
    await expectPayout(arcade, operator);
  });

  it("waits for the cooldown, from the first snapshot on and between payouts", async () => {
    const arcade = arcadeOf();
    const { time } = arcade.connection.networkHelpers;
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    await expectSnapshot(arcade, await makeSnapshot(arcade));
    const first = (await nowSeconds(arcade)) + DAY_SECONDS;
    await expectNotReady(arcade, REASONS.cooldown, "CooldownActive", [first]);
    expect((await arcade.rewards.readiness(arcade.player)).nextPayoutAt).to.equal(first);
    // A later snapshot does not move it.
    await time.increaseTo(first - 100n);
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 2n }));
    await expectNotReady(arcade, REASONS.cooldown, "CooldownActive", [first]);
    await time.increaseTo(first - 1n);
    await expectNotReady(arcade, REASONS.cooldown, "CooldownActive", [first]);
    await time.increaseTo(first);
    await expectPayout(arcade);
    const second = (await nowSeconds(arcade)) + DAY_SECONDS;
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 3n }));
    await expectNotReady(arcade, REASONS.cooldown, "CooldownActive", [second]);
    await time.increaseTo(second);
    await expectPayout(arcade);
  });

  it("refuses an empty scorebank, and one below the minimum", async () => {
    const arcade = arcadeOf();
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    await expectNotReady(arcade, REASONS.empty, "ScorebankEmpty", [arcade.player.address]);
    await expectSnapshot(arcade, await makeSnapshot(arcade, { score: LIMITS.minScore - 1n }));
    await arcade.connection.networkHelpers.time.increase(DAY_SECONDS);
    await expectNotReady(arcade, REASONS.minimum, "BelowMinimum", [LIMITS.minScore - 1n, LIMITS.minScore]);
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 2n, score: 1n }));
    await expectPayout(arcade);
    await arcade.connection.networkHelpers.time.increase(DAY_SECONDS);
    await expectNotReady(arcade, REASONS.empty, "ScorebankEmpty", [arcade.player.address]);
  });

  it("needs an agent identity that is still held", async () => {
    const arcade = arcadeOf();
    const { identity, player, other } = arcade;
    await makeReady(arcade);
    await as(identity, player).transferFrom(player, other, 1n);
    await expectNotReady(arcade, REASONS.identity, "IdentityRequired", [player.address]);
    await as(identity, other).transferFrom(other, player, 1n);
    await expectPayout(arcade);
  });

  it("waits for the cooldown with a single point, too", async () => {
    const arcade = arcadeOf();
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    await expectSnapshot(arcade, await makeSnapshot(arcade, { score: 1n }));
    const { reasons } = await arcade.rewards.readiness(arcade.player);
    expect(reasons).to.equal(REASONS.minimum | REASONS.cooldown);
  });

  it("says every reason at once", async () => {
    const arcade = arcadeOf();
    const { rewards, guardian, admin, player } = arcade;
    await expectSnapshot(arcade, await makeSnapshot(arcade, { score: LIMITS.minScore - 1n }));
    await as(rewards, admin).withdraw(admin, FLOAT);
    await as(rewards, guardian).setCaps(0n, 0n);
    await as(rewards, guardian).pause();
    const { empty: _, ...others } = REASONS;
    const all = Object.values(others).reduce((sum, bit) => sum | bit, 0n);
    const answer = await rewards.readiness(player);
    expect(answer.toArray()).to.deep.equal([false, all, 0n, (LIMITS.minScore - 1n) * TOKEN]);
    expect((await rewards.readiness(ZeroAddress)).reasons).to.equal(REASONS.empty | REASONS.paused | REASONS.identity);
  });

  describe("caps", () => {
    /** Points for payouts of 10,000 and 10,000 today, so that the daily cap of 20,000 is used up. */
    const fill = async (sessions: bigint, from: bigint) => {
      const arcade = arcadeOf();
      for (let i = 0n; i < sessions; i += 1n) {
        await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: from + i, score: SESSION }));
      }
    };

    it("stops at what the day leaves, pays nothing in part, and goes on the next day", async () => {
      const arcade = arcadeOf();
      const { rewards, other } = arcade;
      const { time } = arcade.connection.networkHelpers;
      await expectIdentityMint(arcade, await makeIdentityMint(arcade));
      await expectIdentityMint(arcade, await makeIdentityMint(arcade, { to: other.address }), { sender: other });
      await fill(1n, 1n);
      for (const sequence of [1n, 2n]) {
        await expectSnapshot(arcade, await makeSnapshot(arcade, { wallet: other.address, sequence, score: 5_001n }));
      }
      await time.increase(DAY_SECONDS);
      await expectPayout(arcade, other, other.address);
      expect(await rewards.getDailyRemaining()).to.equal(9_998n * TOKEN);
      await expectNotReady(arcade, REASONS.daily, "CapExceeded", [9_998n * TOKEN]);
      const tomorrow = ((await nowSeconds(arcade)) / DAY_SECONDS + 1n) * DAY_SECONDS;
      expect((await rewards.readiness(arcade.player)).nextPayoutAt).to.equal(tomorrow);
      await time.increaseTo(tomorrow - 1n);
      await expectNotReady(arcade, REASONS.daily, "CapExceeded", [9_998n * TOKEN]);
      await time.increaseTo(tomorrow);
      expect(await rewards.getDailyRemaining()).to.equal(LIMITS.dailyCap);
      await expectPayout(arcade);
    });

    it("stops at what the week leaves, and goes on on Monday", async () => {
      const arcade = arcadeOf();
      const { rewards, admin } = arcade;
      const { time } = arcade.connection.networkHelpers;
      await expectIdentityMint(arcade, await makeIdentityMint(arcade));
      // The first snapshot is on a Monday, so the payouts are on Tuesday, Wednesday and Thursday.
      for (const [index, sessions] of [2n, 2n, 1n].entries()) {
        await fill(sessions, BigInt(index) * 10n);
        await time.increase(DAY_SECONDS);
        await expectPayout(arcade);
      }
      expect(await rewards.getWeeklyRemaining()).to.equal(0n);
      await fill(1n, 90n);
      await time.increase(DAY_SECONDS);
      await expectNotReady(arcade, REASONS.weekly, "CapExceeded", [0n]);
      const monday = (await rewards.readiness(arcade.player)).nextPayoutAt;
      expect(new Date(Number(monday) * 1000).getUTCDay()).to.equal(1);
      expect(monday % DAY_SECONDS).to.equal(0n);
      await time.increaseTo(monday - 1n);
      await expectNotReady(arcade, REASONS.weekly, "CapExceeded", [0n]);
      await time.increaseTo(monday);
      expect(await rewards.getWeeklyRemaining()).to.equal(LIMITS.weeklyCap);
      await expectPayout(arcade);
      expect(await as(rewards, admin).getWeeklyRemaining()).to.equal(LIMITS.weeklyCap - SESSION * TOKEN);
    });

    it("says that no time helps where an amount passes a whole cap", async () => {
      const arcade = arcadeOf();
      await expectIdentityMint(arcade, await makeIdentityMint(arcade));
      await fill(3n, 1n);
      const answer = await arcade.rewards.readiness(arcade.player);
      expect(answer.toArray()).to.deep.equal([false, REASONS.cooldown | REASONS.daily, 0n, 3n * SESSION * TOKEN]);
    });

    it("names the time for an amount that is a whole cap", async () => {
      const arcade = arcadeOf();
      const { rewards, guardian, other } = arcade;
      const bank = 500n;
      await makeReady(arcade, bank);
      await expectIdentityMint(arcade, await makeIdentityMint(arcade, { to: other.address }), { sender: other });
      await expectSnapshot(arcade, await makeSnapshot(arcade, { wallet: other.address, sequence: 1n, score: 10n }));
      await arcade.connection.networkHelpers.time.increase(DAY_SECONDS);
      await as(rewards, guardian).setCaps(bank * TOKEN, bank * TOKEN);
      await expectPayout(arcade, other, other.address);
      const answer = await rewards.readiness(arcade.player);
      expect(answer.reasons).to.equal(REASONS.daily | REASONS.weekly);
      // Weeks begin on Monday, and day 0 was a Thursday.
      const week = ((await nowSeconds(arcade)) / DAY_SECONDS + 3n) / 7n;
      expect(answer.nextPayoutAt).to.equal(((week + 1n) * 7n - 3n) * DAY_SECONDS);
    });

    it("leaves nothing where a cap was lowered below what was paid", async () => {
      const arcade = arcadeOf();
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
      const arcade = arcadeOf();
      const { rewards, admin, token, treasury } = arcade;
      await makeReady(arcade, 500n);
      await expect(as(rewards, admin).withdraw(treasury, FLOAT - 499n * TOKEN))
        .to.emit(rewards, "FloatWithdrawn")
        .withArgs(treasury.address, FLOAT - 499n * TOKEN);
      await expectNotReady(arcade, REASONS.float, "FloatTooLow", [499n * TOKEN, 500n * TOKEN]);
      await as(token, treasury).approve(rewards, TOKEN);
      await expect(as(rewards, treasury).fund(TOKEN)).to.emit(rewards, "FloatFunded").withArgs(treasury.address, TOKEN);
      await expectPayout(arcade);
      expect(await rewards.floatBalance()).to.equal(0n);
    });

    it("is withdrawn by the admin alone", async () => {
      const { rewards, guardian, operator, player } = arcadeOf();
      for (const sender of [guardian, operator, player]) {
        await expect(as(rewards, sender).withdraw(sender, 1n)).to.be.revertedWithCustomError(
          rewards,
          "AccessControlUnauthorizedAccount",
        );
      }
    });
  });
});
