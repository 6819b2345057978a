import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { as, deployContract, LIMITS, makeDuties, TOKEN, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
import { makeReady } from "./helpers/payout.ts";
import { expectSnapshot, sendSnapshot } from "./helpers/snapshot.ts";

const MAX_CAP = (2n ** 40n - 1n) * LIMITS.scoreToTokenRate;

/** The highest bound of one session. */
const MOST = 2n ** 40n - 1n;

describe("RewardsV2: administer", () => {
  const arcade = useArcade();

  it("answers what it was deployed with", async () => {
    const { rewards, addresses } = arcade;
    expect(await rewards.scoreToTokenRate()).to.equal(LIMITS.scoreToTokenRate);
    expect(await rewards.payoutCooldown()).to.equal(LIMITS.payoutCooldown);
    expect(await rewards.minScore()).to.equal(LIMITS.minScore);
    expect(await rewards.maxScorePerSession()).to.equal(LIMITS.maxScorePerSession);
    expect((await rewards.caps()).toArray()).to.deep.equal([LIMITS.dailyCap, LIMITS.weeklyCap]);
    expect([await rewards.token(), await rewards.identity()]).to.deep.equal([addresses.token, addresses.identity]);
  });

  describe("caps", () => {
    it("are lowered by guardian or admin and raised by the admin", async () => {
      const { rewards, guardian, admin, thirdParty } = arcade;
      const [low, lower] = [LIMITS.dailyCap - TOKEN, LIMITS.weeklyCap - TOKEN];
      await expectEvent(as(rewards, guardian).setCaps(low, lower), rewards, "CapsSet", low, lower);
      expect((await rewards.caps()).toArray()).to.deep.equal([low, lower]);
      // The same again raises nothing.
      await expectEvent(as(rewards, guardian).setCaps(low, lower), rewards, "CapsSet", low, lower);
      for (const [daily, weekly] of [
        [low + TOKEN, lower],
        [low, lower + TOKEN],
      ]) {
        await expectRevert(as(rewards, guardian).setCaps(daily, weekly), "AccessControlUnauthorizedAccount");
      }
      await expectRevert(as(rewards, thirdParty).setCaps(0n, 0n), "NotGuardian", thirdParty.address);
      await as(rewards, admin).setCaps(MAX_CAP, MAX_CAP);
      expect((await rewards.caps()).toArray()).to.deep.equal([MAX_CAP, MAX_CAP]);
      await expectRevert(as(rewards, admin).setCaps(MAX_CAP + 1n, 0n), "LimitOutOfRange", MAX_CAP + 1n, 0n, MAX_CAP);
      await expectRevert(
        as(rewards, admin).setCaps(MAX_CAP, MAX_CAP - TOKEN),
        "LimitsContradict",
        LIMITS.minScore,
        LIMITS.maxPayout / TOKEN,
        MAX_CAP / TOKEN,
        MAX_CAP / TOKEN - 1n,
      );
    });

    it("are rounded down to whole points", async () => {
      const { rewards, guardian } = arcade;
      await as(rewards, guardian).setCaps(5n * TOKEN - 1n, 9n * TOKEN + 1n);
      expect((await rewards.caps()).toArray()).to.deep.equal([4n * TOKEN, 9n * TOKEN]);
    });
  });

  describe("bound of one payout", () => {
    it("is lowered by guardian or admin, raised by the admin, and never below the minimum", async () => {
      const { rewards, guardian, admin, thirdParty } = arcade;
      const least = LIMITS.minScore * TOKEN;
      await expectEvent(as(rewards, guardian).setMaxPayout(least + 1n), rewards, "MaxPayoutSet", least);
      expect(await rewards.maxPayout()).to.equal(least);
      await as(rewards, guardian).setMaxPayout(least);
      await expectRevert(as(rewards, guardian).setMaxPayout(least + TOKEN), "AccessControlUnauthorizedAccount");
      await expectRevert(as(rewards, thirdParty).setMaxPayout(least), "NotGuardian");
      await expectRevert(
        as(rewards, guardian).setMaxPayout(least - 1n),
        "LimitsContradict",
        LIMITS.minScore,
        LIMITS.minScore - 1n,
        LIMITS.dailyCap / TOKEN,
        LIMITS.weeklyCap / TOKEN,
      );
      await as(rewards, admin).setMaxPayout(MAX_CAP);
      expect(await rewards.maxPayout()).to.equal(MAX_CAP);
      await expectRevert(as(rewards, admin).setMaxPayout(MAX_CAP + 1n), "LimitOutOfRange");
    });
  });

  describe("bound of one session", () => {
    it("is lowered by guardian or admin and raised by the admin", async () => {
      const { rewards, guardian, admin, thirdParty } = arcade;
      await expectEvent(as(rewards, guardian).setMaxScorePerSession(100n), rewards, "MaxScorePerSessionSet", 100n);
      await as(rewards, guardian).setMaxScorePerSession(100n);
      await sendSnapshot(arcade, { score: 101n });
      expect(await rewards.getScorebank(arcade.player)).to.equal(100n);
      await expectRevert(as(rewards, guardian).setMaxScorePerSession(101n), "AccessControlUnauthorizedAccount");
      await expectRevert(as(rewards, thirdParty).setMaxScorePerSession(1n), "NotGuardian");
      await as(rewards, admin).setMaxScorePerSession(MOST);
      await expectSnapshot(arcade, { sequence: 2n, score: MOST });
      // From an odd bound to an even one: no bit of the bound before remains.
      for (const bound of [3n, 2n, 1n]) {
        await as(rewards, guardian).setMaxScorePerSession(bound);
        expect(await rewards.maxScorePerSession()).to.equal(bound);
      }
      for (const value of [0n, MOST + 1n]) {
        const outside = as(rewards, admin).setMaxScorePerSession(value);
        await expectRevert(outside, "LimitOutOfRange", value, 1n, MOST);
      }
    });
  });

  it("stops payouts and snapshots together", async () => {
    const { rewards, guardian, admin, player } = arcade;
    await makeReady(arcade);
    await as(rewards, guardian).pause();
    await expectRevert(as(rewards, player).payout(player), "EnforcedPause");
    expect((await rewards.readiness(player)).reasons).to.equal(1n << 6n);
    await as(rewards, admin).unpause();
    await as(rewards, player).payout(player);
  });

  it("refuses limits that do not fit or contradict each other at deployment", async () => {
    const { connection, addresses, keys, rewards } = arcade;
    const deploy = (
      changes: object,
      token = addresses.token,
      identity = addresses.identity,
      signer: { readonly address: string } = keys.score,
    ) => {
      const args = [ZeroAddress, token, identity, { ...LIMITS, ...changes }];
      return deployContract(connection, "RewardsV2", [makeDuties(arcade, signer), ...args]);
    };
    for (const changes of [
      { scoreToTokenRate: 0n },
      { scoreToTokenRate: 2n ** 128n },
      { payoutCooldown: 0n },
      { payoutCooldown: 365n * 86_400n + 1n },
      { minScore: 0n },
      { minScore: 2n ** 40n },
      { maxScorePerSession: 0n },
      { maxScorePerSession: MOST + 1n },
      { maxPayout: MAX_CAP + 1n },
      { dailyCap: MAX_CAP + 1n },
      { weeklyCap: MAX_CAP + 1n },
      // A rate under which the caps no longer fit their fields.
      { scoreToTokenRate: 1n },
    ]) {
      await expect(deploy(changes), Object.keys(changes)[0]).to.be.revertedWithCustomError(rewards, "LimitOutOfRange");
    }
    for (const changes of [
      { minScore: LIMITS.maxPayout / TOKEN + 1n },
      { maxPayout: LIMITS.dailyCap + TOKEN },
      { dailyCap: LIMITS.weeklyCap + TOKEN },
      { maxPayout: 0n },
      { maxPayout: LIMITS.minScore * TOKEN - 1n },
    ]) {
      await expect(deploy(changes), Object.keys(changes)[0]).to.be.revertedWithCustomError(rewards, "LimitsContradict");
    }
    const [largest, daily, weekly] = [LIMITS.dailyCap / TOKEN + 1n, LIMITS.dailyCap / TOKEN, LIMITS.weeklyCap / TOKEN];
    const deployed = deploy({ maxPayout: largest * TOKEN });
    await expectRevert(deployed, "LimitsContradict", LIMITS.minScore, largest, daily, weekly);
    await expectRevert(deploy({}, ZeroAddress), "ZeroAddress");
    await expectRevert(deploy({}, addresses.token, ZeroAddress), "ZeroAddress");
    await expectRevert(deploy({}, addresses.token, addresses.identity, { address: ZeroAddress }), "ZeroAddress");
    const lowest = { maxPayout: 1n, dailyCap: 1n, weeklyCap: 1n };
    for (const limits of [
      { ...LIMITS, ...lowest, scoreToTokenRate: 1n, payoutCooldown: 1n, minScore: 1n, maxScorePerSession: 1n },
      {
        ...LIMITS,
        payoutCooldown: 365n * 86_400n,
        minScore: 2n ** 40n - 1n,
        maxScorePerSession: MOST,
        maxPayout: MAX_CAP,
        dailyCap: MAX_CAP,
        weeklyCap: MAX_CAP,
      },
    ]) {
      const edge = await deploy(limits);
      expect(await edge.minScore()).to.equal(limits.minScore);
      expect(await edge.payoutCooldown()).to.equal(limits.payoutCooldown);
      expect(await edge.maxPayout()).to.equal(limits.maxPayout);
      expect((await edge.caps()).toArray()).to.deep.equal([limits.dailyCap, limits.weeklyCap]);
    }
    const most = 2n ** 128n - 1n;
    const bare = await deploy({
      scoreToTokenRate: most,
      minScore: 1n,
      maxPayout: most,
      dailyCap: most,
      weeklyCap: most,
    });
    expect(await bare.scoreToTokenRate()).to.equal(most);
    expect(await bare.hasRole(await bare.GUARDIAN_ROLE(), ZeroAddress)).to.equal(false);
    expect(await bare.hasRole(await bare.OPERATOR_ROLE(), ZeroAddress)).to.equal(false);
  });
});
