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
import { listGamesWithRows } from "../../scripts/dev/docs/document-block.ts";

/** So many wallets at least, each paid as much as it can be, take all of a day's or a week's cap of a public network. */
const LEAST_WALLETS = 250;

describe("the check of the economy's page", () => {
  it("leaves out a game that was just added, and no other", () => {
    const page = readFileSync(new URL("../../docs/economy.md", import.meta.url), "utf8");
    const added = { slug: "gloomlanes" };
    expect(listGamesWithRows(page, [...games, added])).to.deep.equal(games);
  });
});

describe("the economy of public networks", () => {
  const parameters = createParameters();
  const limits = toLimits(parameters);

  it("fewer than 250 wallets never take all of a day or a week, however much they earn", () => {
    const paid = getPaidPerDay(Number.POSITIVE_INFINITY, limits);
    expect(countStarvingWallets(paid, limits)).to.be.at.least(LEAST_WALLETS);
    const { day, week } = getFarmIncome(LEAST_WALLETS - 1, paid, limits);
    expect(day).to.be.below(limits.dailyCap);
    expect(week).to.be.below(limits.weeklyCap);
  });

  it("a wallet is paid what it earns up to its portion, and farms up to the caps", () => {
    expect(getPaidPerDay(1000, limits)).to.equal(1000);
    expect(getPaidPerDay(10 * limits.maxPayout, limits)).to.equal(limits.maxPayout / limits.cooldownDays);
    expect(getFarmIncome(1_000_000, limits.maxPayout, limits)).to.deep.equal({
      day: limits.dailyCap,
      week: limits.weeklyCap,
    });
    expect(countStarvingWallets(0, limits)).to.equal(Number.POSITIVE_INFINITY);
  });

  it("a wallet that sends nothing, in every game and all day, earns at most a tenth of what a wallet can be paid", () => {
    const idle = { name: "sends nothing", create: () => () => null, runs: 20 };
    const pointsPerHour = games.reduce((sum, game) => sum + measureEarnings(game, idle).pointsPerHour, 0);
    expect(pointsPerHour * 24).to.be.at.most(getPaidPerDay(Number.POSITIVE_INFINITY, limits) / 10);
  });

  it("a payout that the operator sends is worth at least a token, and every highest tier fits into one session", () => {
    const { minScore, scoreToTokenRate, maxScorePerSession } = parameters.rewards;
    expect(minScore * scoreToTokenRate >= 10n ** 18n).to.equal(true);
    for (const { slug, nft } of games)
      expect(nft.tiers.at(-1)!.minScore, slug).to.be.at.most(Number(maxScorePerSession));
  });
});
