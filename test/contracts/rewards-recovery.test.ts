import { expect } from "chai";
import { MaxUint256 } from "ethers";
import { type Arcade, as, DAY_SECONDS, LIMITS, nowSeconds, TOKEN, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
import { expectIdentityMint } from "./helpers/identity.ts";
import { expectNotReady, expectPayout, makeReady, REASONS } from "./helpers/payout.ts";
import { expectSnapshot } from "./helpers/snapshot.ts";

const HOUR_SECONDS = 3_600n;

describe("RewardsV2: recover", () => {
  const arcade = useArcade();

  describe("void points", () => {
    it("takes points of several wallets in one call, at most what each has, also while paused", async () => {
      const { rewards, guardian, player, other } = arcade;
      await expectSnapshot(arcade, { score: 500n });
      await expectSnapshot(arcade, { score: 300n, wallet: other.address });
      const before = await rewards.accountOf(player);
      await as(rewards, guardian).pause();
      const list = [
        { wallet: player, points: 499n },
        { wallet: other, points: MaxUint256 },
        { wallet: player, points: 2n },
      ];
      const sent = as(rewards, guardian).voidPoints(list);
      await expectEvent(sent, rewards, "PointsVoided", player.address, 499n, 1n, guardian.address);
      await expectEvent(sent, rewards, "PointsVoided", other.address, 300n, 0n, guardian.address);
      await expectEvent(sent, rewards, "PointsVoided", player.address, 1n, 0n, guardian.address);
      expect(await rewards.getScorebank(other)).to.equal(0n);
      expect([await rewards.voidedPoints(player), await rewards.voidedPoints(other)]).to.deep.equal([500n, 300n]);
      expect((await rewards.accountOf(player)).toObject()).to.deep.equal({ ...before.toObject(), scorebank: 0n });
    });

    it("is undone by the admin, and never gives more than was taken", async () => {
      const { rewards, guardian, admin, player, other } = arcade;
      await expectSnapshot(arcade, { score: 500n });
      await as(rewards, guardian).voidPoints([{ wallet: player, points: 500n }]);
      await expectSnapshot(arcade, { score: 7n, sequence: 2n });
      const list = [
        { wallet: player, points: 100n },
        { wallet: player, points: 401n },
        { wallet: other, points: 9n },
      ];
      const sent = as(rewards, admin).restorePoints(list);
      await expectEvent(sent, rewards, "PointsRestored", player.address, 100n, 107n, admin.address);
      await expectEvent(sent, rewards, "PointsRestored", player.address, 400n, 507n, admin.address);
      await expectEvent(sent, rewards, "PointsRestored", other.address, 0n, 0n, admin.address);
      expect([await rewards.getScorebank(player), await rewards.voidedPoints(player)]).to.deep.equal([507n, 0n]);
      const byGuardian = as(rewards, guardian).restorePoints(list);
      await expectRevert(byGuardian, "AccessControlUnauthorizedAccount");
    });
  });

  describe("a pause", () => {
    const readyAt = async ({ rewards, player }: Arcade): Promise<bigint> =>
      (await rewards.readiness(player)).nextPayoutAt;
    const pauseFor = async (seconds: bigint): Promise<void> => {
      await as(arcade.rewards, arcade.guardian).pause();
      await arcade.time.setNextBlockTimestamp((await nowSeconds(arcade)) + seconds);
      await as(arcade.rewards, arcade.admin).unpause();
    };

    it("does not count as cooldown, neither of the account nor of the identity", async () => {
      const { rewards, time, player } = arcade;
      await expectIdentityMint(arcade);
      await expectSnapshot(arcade);
      const end = (await nowSeconds(arcade)) + DAY_SECONDS;
      await time.increase(HOUR_SECONDS);
      await pauseFor(30n * DAY_SECONDS);
      const moved = end + 30n * DAY_SECONDS;
      expect(await readyAt(arcade)).to.equal(moved);
      await time.increaseTo(moved - 1n);
      await expectNotReady(arcade, REASONS.cooldown, "CooldownActive", [moved]);
      await time.increaseTo(moved);
      await expectPayout(arcade);
      // What begins after it is not moved.
      await expectSnapshot(arcade, { sequence: 2n });
      expect(await readyAt(arcade)).to.equal((await rewards.lastPayoutAt(player)) + DAY_SECONDS);
    });

    it("stands still while it lasts: readiness tells the time as if it ended now", async () => {
      const { rewards, guardian, time, player } = arcade;
      await expectIdentityMint(arcade);
      await expectSnapshot(arcade);
      const end = (await nowSeconds(arcade)) + DAY_SECONDS;
      await as(rewards, guardian).pause();
      const from = await nowSeconds(arcade);
      for (const days of [1n, 2n, 30n]) {
        await time.increaseTo(from + days * DAY_SECONDS);
        const { reasons, nextPayoutAt } = await rewards.readiness(player);
        expect(reasons).to.equal(REASONS.paused | REASONS.cooldown | REASONS.identityTooNew);
        expect(nextPayoutAt).to.equal(end + days * DAY_SECONDS);
      }
    });

    it("leaves a wallet ready that was ready before it", async () => {
      await makeReady(arcade);
      await pauseFor(HOUR_SECONDS);
      await expectPayout(arcade);
    });

    it("makes an identity wait from its end that became primary in it", async () => {
      const { rewards, guardian, admin, time, player } = arcade;
      await expectSnapshot(arcade);
      await time.increase(DAY_SECONDS);
      await as(rewards, guardian).pause();
      await time.increase(DAY_SECONDS);
      await expectIdentityMint(arcade);
      await time.increase(DAY_SECONDS);
      await as(rewards, admin).unpause();
      const end = (await nowSeconds(arcade)) + DAY_SECONDS;
      await expectNotReady(arcade, REASONS.identityTooNew, "IdentityTooNew", [player.address, end]);
    });

    it("adds up with another one less than a cooldown before it, at most to a cooldown after the last", async () => {
      const { time } = arcade;
      await expectIdentityMint(arcade);
      await expectSnapshot(arcade);
      const end = (await nowSeconds(arcade)) + DAY_SECONDS;
      await time.increase(HOUR_SECONDS);
      for (const _ of [1, 2]) {
        await pauseFor(30n * HOUR_SECONDS);
        await time.increase(HOUR_SECONDS);
      }
      expect(await readyAt(arcade)).to.equal(end + 60n * HOUR_SECONDS);
      await pauseFor(HOUR_SECONDS);
      expect(await readyAt(arcade)).to.equal(end + 61n * HOUR_SECONDS);
      // Paid, and a whole cooldown later: the pauses before count no more.
      await time.increase(DAY_SECONDS);
      await expectPayout(arcade);
      const next = (await nowSeconds(arcade)) + DAY_SECONDS;
      await expectSnapshot(arcade, { sequence: 2n });
      await pauseFor(HOUR_SECONDS);
      expect(await readyAt(arcade)).to.equal(next + HOUR_SECONDS);
    });

    it("does not add up with one that ended a whole cooldown before it", async () => {
      const { rewards, guardian, admin, time } = arcade;
      for (const [gap, added] of [
        [DAY_SECONDS - 1n, HOUR_SECONDS],
        [DAY_SECONDS, 0n],
      ] as const) {
        await time.increase(2n * DAY_SECONDS);
        await pauseFor(HOUR_SECONDS);
        const from = (await nowSeconds(arcade)) + gap;
        await time.setNextBlockTimestamp(from);
        await as(rewards, guardian).pause();
        expect((await rewards.lastPause()).from).to.equal(from - added);
        await as(rewards, admin).unpause();
        expect((await rewards.lastPause()).until).to.equal(await nowSeconds(arcade));
      }
    });
  });

  describe("a payout of at least an amount", () => {
    it("is refused where less would be paid, and starts no cooldown then", async () => {
      const { rewards, player, thirdParty } = arcade;
      await makeReady(arcade, 500n);
      const amount = 500n * TOKEN;
      const more = as(rewards, player).payoutAtLeast(player, amount + 1n);
      await expectRevert(more, "PayoutTooSmall", amount, amount + 1n);
      await expectRevert(as(rewards, thirdParty).payoutAtLeast(player, 0n), "NotWalletOrOperator", thirdParty.address);
      expect(await rewards.lastPayoutAt(player)).to.equal(0n);
      expect(await as(rewards, player).payoutAtLeast.staticCall(player, amount)).to.equal(amount);
      await expectEvent(as(rewards, player).payoutAtLeast(player, amount), rewards, "Payout");
      expect(await rewards.lastPayoutAt(player)).to.equal(await nowSeconds(arcade));
      const again = as(rewards, player).payoutAtLeast(player, MaxUint256);
      await expectRevert(again, "ScorebankEmpty");
    });

    it("does not pay a rest of the day that another payout left", async () => {
      const { rewards, guardian, player, other } = arcade;
      await expectIdentityMint(arcade, { to: other.address }, { sender: other });
      await expectSnapshot(arcade, { wallet: other.address, score: 490n });
      await makeReady(arcade, 500n);
      await as(rewards, guardian).setCaps(500n * TOKEN, LIMITS.weeklyCap);
      const { amount } = await rewards.readiness(player);
      await expectPayout(arcade, other, other.address);
      await expectRevert(as(rewards, player).payoutAtLeast(player, amount), "PayoutTooSmall", 10n * TOKEN, amount);
    });
  });
});
