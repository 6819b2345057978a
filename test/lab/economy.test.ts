import { readFileSync } from "node:fs";
import { expect } from "chai";
import { games } from "../../games/index.ts";
import { createParameters } from "../../lab/economy/document.ts";
import {
  countStarvingWallets,
  getFarmIncome,
  getPaidPerDay,
  measureEarnings,
  toLimits,
} from "../../lab/economy/earnings.ts";
import { type Group, type Levers, simulateMonth } from "../../lab/economy/farm.ts";
import { listGamesWithRows } from "../../scripts/dev/docs/document-block.ts";

/** At least this many wallets, each paid the maximum, use up a day's or a week's cap of a public network. */
const LEAST_WALLETS = 700;

/** 4 ARCD. Independent of the maximum payout, which may fall. */
const IDLE_POINTS_MAX = 40_000;

const page = readFileSync(new URL("../../docs/economy.md", import.meta.url), "utf8");

describe("the check of the economy's page", () => {
  it("leaves out only a game that was just added", () => {
    const added = { slug: "gloomlanes" };
    expect(listGamesWithRows(page, [...games, added])).to.deep.equal(games);
  });
});

describe("the month of a farm", () => {
  const limits = { maxPayout: 100, dailyCap: 1000, weeklyCap: 5000, float: 10_000, cooldownDays: 1 };
  const levers = {
    limits,
    startsPerNetwork: Number.POSITIVE_INFINITY,
    identityAgeDays: 1,
    mintsPerAddress: 1,
    isFloatRefilled: false,
  };
  const habits = { pointsPerSession: 50, secondsPerSession: 3600, hoursPerDay: 24, isGasless: false };
  const farm = { ...habits, identities: 20, networks: 4 };
  const honest = { ...habits, identities: 2, networks: 2, hoursPerDay: 2 };
  const simulate = (changed: Partial<Levers>, group: Partial<Group> = {}) =>
    simulateMonth({ ...farm, ...group }, honest, { ...levers, ...changed });

  it("pays first come, first served within the daily cap, the weekly cap and the float", () => {
    // The farm takes the weekly 5,000 in the first days of each week, and empties the float in the second week.
    expect(simulate({})).to.deep.equal({ farm: 10_000, honest: 0, honestAlone: 5_800, floatDays: 12 });
    const wide = { ...limits, dailyCap: 1e6, weeklyCap: 1e7, float: 1e8 };
    expect(simulate({ limits: wide })).to.deep.equal({
      farm: 58_000,
      honest: 5_800,
      honestAlone: 5_800,
      floatDays: null,
    });
    const refilled = simulate({ isFloatRefilled: true });
    expect(refilled.farm + refilled.honest).to.equal(2_000 + 4 * 5_000);
  });

  it("changes with each setting", () => {
    const wide = { ...limits, dailyCap: 1e6, weeklyCap: 1e7, float: 1e8 };
    const getFarm = (changed: Partial<Levers>, group: Partial<Group> = {}): number =>
      simulate({ limits: wide, ...changed }, group).farm;
    expect(getFarm({ limits: { ...wide, maxPayout: 10 } })).to.equal(29 * 20 * 10);
    expect(getFarm({ identityAgeDays: 7 })).to.equal(23 * 20 * 100);
    expect(getFarm({ limits: { ...wide, cooldownDays: 2 }, identityAgeDays: 2 })).to.equal(14 * 20 * 100);
    expect(getFarm({ startsPerNetwork: 2 })).to.equal(29 * 4 * 2 * 50);
    expect(getFarm({}, { networks: 1 })).to.equal(58_000);
    expect(getFarm({}, { isGasless: true, networks: 1 })).to.equal(100 * ((19 * 20) / 2 + 10 * 20));
  });
});

describe("the economy of public networks", () => {
  const parameters = createParameters();
  const limits = toLimits(parameters);

  it("fewer than 700 wallets never take all of a day or a week, however much they earn", () => {
    const paid = getPaidPerDay(Number.POSITIVE_INFINITY, limits);
    expect(countStarvingWallets(paid, limits)).to.be.at.least(LEAST_WALLETS);
    const { day, week } = getFarmIncome(LEAST_WALLETS - 1, paid, limits);
    expect(day).to.be.below(limits.dailyCap);
    expect(week).to.be.below(limits.weeklyCap);
  });

  it("a wallet is paid what it earns up to the maximum payout, and farms up to the caps", () => {
    expect(getPaidPerDay(1000, limits)).to.equal(1000);
    expect(getPaidPerDay(10 * limits.maxPayout, limits)).to.equal(limits.maxPayout / limits.cooldownDays);
    expect(getFarmIncome(1_000_000, limits.maxPayout, limits)).to.deep.equal({
      day: limits.dailyCap,
      week: limits.weeklyCap,
    });
    expect(countStarvingWallets(0, limits)).to.equal(Number.POSITIVE_INFINITY);
  });

  it("a wallet that sends nothing, in every game and all day, earns at most 4 ARCD", () => {
    const idle = { name: "sends nothing", create: () => () => null, runs: 100 };
    const pointsPerHour = games.reduce((sum, game) => sum + measureEarnings(game, idle).pointsPerHour, 0);
    expect(pointsPerHour * 24).to.be.at.most(IDLE_POINTS_MAX);
  });

  it("a payout that the operator sends is worth at least a token, and every highest tier fits into one session", () => {
    const { minScore, scoreToTokenRate, maxScorePerSession } = parameters.rewards;
    expect(minScore * scoreToTokenRate >= 10n ** 18n).to.equal(true);
    for (const { slug, nft } of games)
      expect(nft.tiers.at(-1)!.minScore, slug).to.be.at.most(Number(maxScorePerSession));
    const best = [...page.matchAll(/^\| \w+ \| [\w ]+ \| [\d,]+ \| ([\d,]+) \|/gm)].map(([, points]) =>
      Number(points!.replaceAll(",", "")),
    );
    expect(best).to.have.length.at.least(9);
    expect(2 * Math.max(...best), "the best run that we know leaves room").to.be.at.most(Number(maxScorePerSession));
  });
});
