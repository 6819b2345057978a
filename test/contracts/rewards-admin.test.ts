import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { as, LIMITS, TOKEN, useArcade } from "./helpers/arcade.ts";
import { interfaceIdOf } from "./helpers/interface-id.ts";
import { makeReady } from "./helpers/payout.ts";
import { expectSnapshot, makeSnapshot, sendSnapshot } from "./helpers/snapshot.ts";

const MAX_CAP = (2n ** 40n - 1n) * LIMITS.scoreToTokenRate;

describe("RewardsV2: administer", () => {
  const arcadeOf = useArcade();

  it("answers what it was deployed with", async () => {
    const { rewards, addresses } = arcadeOf();
    expect(await rewards.scoreToTokenRate()).to.equal(LIMITS.scoreToTokenRate);
    expect(await rewards.payoutCooldown()).to.equal(LIMITS.payoutCooldown);
    expect(await rewards.minScore()).to.equal(LIMITS.minScore);
    expect(await rewards.maxScorePerSession()).to.equal(LIMITS.maxScorePerSession);
    expect((await rewards.caps()).toArray()).to.deep.equal([LIMITS.dailyCap, LIMITS.weeklyCap]);
    expect([await rewards.token(), await rewards.identity()]).to.deep.equal([addresses.token, addresses.identity]);
  });

  describe("caps", () => {
    it("are lowered by guardian or admin and raised by the admin", async () => {
      const { rewards, guardian, admin, thirdParty } = arcadeOf();
      const [low, lower] = [LIMITS.dailyCap - TOKEN, LIMITS.weeklyCap - TOKEN];
      await expect(as(rewards, guardian).setCaps(low, lower)).to.emit(rewards, "CapsSet").withArgs(low, lower);
      expect((await rewards.caps()).toArray()).to.deep.equal([low, lower]);
      // The same again raises nothing.
      await expect(as(rewards, guardian).setCaps(low, lower)).to.emit(rewards, "CapsSet").withArgs(low, lower);
      for (const [daily, weekly] of [
        [low + TOKEN, lower],
        [low, lower + TOKEN],
      ]) {
        await expect(as(rewards, guardian).setCaps(daily, weekly)).to.be.revertedWithCustomError(
          rewards,
          "AccessControlUnauthorizedAccount",
        );
      }
      await expect(as(rewards, thirdParty).setCaps(0n, 0n))
        .to.be.revertedWithCustomError(rewards, "NotGuardian")
        .withArgs(thirdParty.address);
      await as(rewards, admin).setCaps(MAX_CAP, MAX_CAP);
      expect((await rewards.caps()).toArray()).to.deep.equal([MAX_CAP, MAX_CAP]);
      await expect(as(rewards, admin).setCaps(MAX_CAP + 1n, 0n))
        .to.be.revertedWithCustomError(rewards, "LimitOutOfRange")
        .withArgs(MAX_CAP + 1n, 0n, MAX_CAP);
      await expect(as(rewards, admin).setCaps(MAX_CAP, MAX_CAP - TOKEN))
        .to.be.revertedWithCustomError(rewards, "LimitsContradict")
        .withArgs(LIMITS.minScore, LIMITS.maxPayout / TOKEN, MAX_CAP / TOKEN, MAX_CAP / TOKEN - 1n);
    });

    it("are rounded down to whole points", async () => {
      const { rewards, guardian } = arcadeOf();
      await as(rewards, guardian).setCaps(5n * TOKEN - 1n, 9n * TOKEN + 1n);
      expect((await rewards.caps()).toArray()).to.deep.equal([4n * TOKEN, 9n * TOKEN]);
    });
  });

  describe("bound of one payout", () => {
    it("is lowered by guardian or admin, raised by the admin, and never below the minimum", async () => {
      const { rewards, guardian, admin, thirdParty } = arcadeOf();
      const least = LIMITS.minScore * TOKEN;
      await expect(as(rewards, guardian).setMaxPayout(least + 1n))
        .to.emit(rewards, "MaxPayoutSet")
        .withArgs(least);
      expect(await rewards.maxPayout()).to.equal(least);
      await as(rewards, guardian).setMaxPayout(least);
      await expect(as(rewards, guardian).setMaxPayout(least + TOKEN)).to.be.revertedWithCustomError(
        rewards,
        "AccessControlUnauthorizedAccount",
      );
      await expect(as(rewards, thirdParty).setMaxPayout(least)).to.be.revertedWithCustomError(rewards, "NotGuardian");
      await expect(as(rewards, guardian).setMaxPayout(least - 1n))
        .to.be.revertedWithCustomError(rewards, "LimitsContradict")
        .withArgs(LIMITS.minScore, LIMITS.minScore - 1n, LIMITS.dailyCap / TOKEN, LIMITS.weeklyCap / TOKEN);
      await as(rewards, admin).setMaxPayout(MAX_CAP);
      expect(await rewards.maxPayout()).to.equal(MAX_CAP);
      await expect(as(rewards, admin).setMaxPayout(MAX_CAP + 1n)).to.be.revertedWithCustomError(
        rewards,
        "LimitOutOfRange",
      );
    });
  });

  describe("bound of one session", () => {
    it("is lowered by guardian or admin and raised by the admin", async () => {
      const arcade = arcadeOf();
      const { rewards, guardian, admin, thirdParty } = arcade;
      await expect(as(rewards, guardian).setMaxScorePerSession(100n))
        .to.emit(rewards, "MaxScorePerSessionSet")
        .withArgs(100n);
      await as(rewards, guardian).setMaxScorePerSession(100n);
      await expect(sendSnapshot(arcade, await makeSnapshot(arcade, { score: 101n }))).to.be.revertedWithCustomError(
        rewards,
        "ScoreOutOfRange",
      );
      await expect(as(rewards, guardian).setMaxScorePerSession(101n)).to.be.revertedWithCustomError(
        rewards,
        "AccessControlUnauthorizedAccount",
      );
      await expect(as(rewards, thirdParty).setMaxScorePerSession(1n)).to.be.revertedWithCustomError(
        rewards,
        "NotGuardian",
      );
      await as(rewards, admin).setMaxScorePerSession(2n ** 64n - 1n);
      await expectSnapshot(arcade, await makeSnapshot(arcade, { score: 2n ** 64n - 1n }));
      // From an odd bound to an even one: no bit of the bound before remains.
      for (const bound of [3n, 2n, 1n]) {
        await as(rewards, guardian).setMaxScorePerSession(bound);
        expect(await rewards.maxScorePerSession()).to.equal(bound);
      }
      for (const value of [0n, 2n ** 64n]) {
        await expect(as(rewards, admin).setMaxScorePerSession(value))
          .to.be.revertedWithCustomError(rewards, "LimitOutOfRange")
          .withArgs(value, 1n, 2n ** 64n - 1n);
      }
    });
  });

  it("stops payouts and snapshots together", async () => {
    const arcade = arcadeOf();
    const { rewards, guardian, admin, player } = arcade;
    await makeReady(arcade);
    await as(rewards, guardian).pause();
    await expect(as(rewards, player).payout(player)).to.be.revertedWithCustomError(rewards, "EnforcedPause");
    expect((await rewards.readiness(player)).reasons).to.equal(1n << 6n);
    await as(rewards, admin).unpause();
    await as(rewards, player).payout(player);
  });

  it("refuses limits that do not fit or contradict each other at deployment", async () => {
    const { connection, addresses, admin, keys, rewards } = arcadeOf();
    const deploy = (
      changes: object,
      token = addresses.token,
      identity = addresses.identity,
      signer = keys.score.address,
    ) => {
      const duties = {
        admin: admin.address,
        adminDelaySeconds: 0n,
        guardian: ZeroAddress,
        signer,
        signerIsContract: false,
        signerDelaySeconds: 0n,
      };
      const limits = { ...LIMITS, ...changes };
      return connection.ethers.deployContract("RewardsV2", [duties, ZeroAddress, token, identity, limits]);
    };
    for (const changes of [
      { scoreToTokenRate: 0n },
      { scoreToTokenRate: 2n ** 128n },
      { payoutCooldown: 0n },
      { payoutCooldown: 365n * 86_400n + 1n },
      { minScore: 0n },
      { minScore: 2n ** 40n },
      { maxScorePerSession: 0n },
      { maxScorePerSession: 2n ** 64n },
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
    await expect(deploy({ maxPayout: largest * TOKEN }))
      .to.be.revertedWithCustomError(rewards, "LimitsContradict")
      .withArgs(LIMITS.minScore, largest, daily, weekly);
    await expect(deploy({}, ZeroAddress)).to.be.revertedWithCustomError(rewards, "ZeroAddress");
    await expect(deploy({}, addresses.token, ZeroAddress)).to.be.revertedWithCustomError(rewards, "ZeroAddress");
    await expect(deploy({}, addresses.token, addresses.identity, ZeroAddress)).to.be.revertedWithCustomError(
      rewards,
      "ZeroAddress",
    );
    const lowest = { maxPayout: 1n, dailyCap: 1n, weeklyCap: 1n };
    for (const limits of [
      { ...LIMITS, ...lowest, scoreToTokenRate: 1n, payoutCooldown: 1n, minScore: 1n, maxScorePerSession: 1n },
      {
        ...LIMITS,
        payoutCooldown: 365n * 86_400n,
        minScore: 2n ** 40n - 1n,
        maxScorePerSession: 2n ** 64n - 1n,
        maxPayout: MAX_CAP,
        dailyCap: MAX_CAP,
        weeklyCap: MAX_CAP,
      },
    ]) {
      const edge = (await deploy(limits)) as unknown as typeof rewards;
      expect(await edge.minScore()).to.equal(limits.minScore);
      expect(await edge.payoutCooldown()).to.equal(limits.payoutCooldown);
      expect(await edge.maxPayout()).to.equal(limits.maxPayout);
      expect((await edge.caps()).toArray()).to.deep.equal([limits.dailyCap, limits.weeklyCap]);
    }
    const most = 2n ** 128n - 1n;
    const bare = (await deploy({
      scoreToTokenRate: most,
      minScore: 1n,
      maxPayout: most,
      dailyCap: most,
      weeklyCap: most,
    })) as unknown as typeof rewards;
    expect(await bare.scoreToTokenRate()).to.equal(most);
    expect(await bare.hasRole(await bare.GUARDIAN_ROLE(), ZeroAddress)).to.equal(false);
    expect(await bare.hasRole(await bare.OPERATOR_ROLE(), ZeroAddress)).to.equal(false);
  });

  it("names its own interface by ERC-165", async () => {
    const { rewards } = arcadeOf();
    expect(await rewards.supportsInterface(await interfaceIdOf("IRewardsV2"))).to.equal(true);
    expect(await rewards.supportsInterface("0x01ffc9a7")).to.equal(true);
    expect(await rewards.supportsInterface("0x31498786")).to.equal(true);
    expect(await rewards.supportsInterface(await interfaceIdOf("IGameNFT"))).to.equal(false);
  });
});
