/** What players earn: the points of bots, under the limits of a deployment. */

import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { DAY_SECONDS } from "../../domain/time.ts";
import { bot as trainedBot } from "../../examples/train/bot.ts";
import type { Bot, Game } from "../../games/game.ts";
import { getQuantile, playBot, toSeed } from "../../scripts/evaluate/play.ts";
import { STARTER_BOT } from "../../scripts/new-bot/files.ts";
import { createBeamBot } from "./planner.ts";

export interface Player {
  readonly name: string;
  readonly create: (seed: number) => Bot;
  /** Runs to measure. */
  readonly runs: number;
}

/** Points of one kind of player in one game. */
export interface Earnings {
  readonly slug: string;
  readonly player: string;
  readonly runs: number;
  readonly pointsPerHour: number;
  readonly medianPoints: number;
  readonly bestPoints: number;
  readonly secondsPerRun: number;
}

const RUNS = 200;
/** Runs of a bot that searches with the rules, which takes minutes. */
const SEARCHING_RUNS = 6;
/** Bots that lose on purpose. */
const LEFT_OUT = new Set(["quick"]);
const SEARCHING = new Set(["better"]);

const starter: { readonly bot: Bot } = await import(`data:text/javascript,${encodeURIComponent(STARTER_BOT)}`);

/** Players beside the bots of a game. */
const STRONG_PLAYERS: { readonly [slug: string]: Player } = {
  shellrunners: { name: "planner", create: createBeamBot, runs: SEARCHING_RUNS },
  flappybots: { name: "trained", create: () => trainedBot as Bot, runs: RUNS },
};

/** A player that sends nothing, the starter, all bots of the game, and the strongest player that we know. */
function listPlayers({ slug, bots }: Game): readonly Player[] {
  const own = Object.entries(bots as { readonly [name: string]: (seed: number) => Bot })
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, create]) => ({ name, create, runs: SEARCHING.has(name) ? SEARCHING_RUNS : RUNS }));
  const strong = STRONG_PLAYERS[slug];
  return [
    { name: "sends nothing", create: () => () => null, runs: RUNS },
    { name: "starter", create: () => starter.bot, runs: RUNS },
    ...own,
    ...(strong === undefined ? [] : [strong]),
  ];
}

/** Plays one run after the other, always with the same seeds. Pauses between runs are left out: an upper bound. */
export function measureEarnings(game: Game, { name, create, runs }: Player): Earnings {
  const scores: number[] = [];
  let points = 0;
  let seconds = 0;
  for (let seed = 0; seed < runs; seed += 1) {
    const run = playBot(game, toSeed(seed), create(seed));
    points += run.state.score;
    scores.push(run.state.score);
    seconds += run.seconds;
  }
  scores.sort((one, other) => one - other);
  return {
    slug: game.slug,
    player: name,
    runs,
    pointsPerHour: (points / seconds) * 3600,
    medianPoints: getQuantile(scores, 0.5),
    bestPoints: scores.at(-1)!,
    secondsPerRun: seconds / runs,
  };
}

export const measureGames = (games: readonly Game[]): readonly Earnings[] =>
  games.flatMap((game) => listPlayers(game).map((player) => measureEarnings(game, player)));

/** Limits of a deployment in score points. */
export interface Limits {
  readonly maxPayout: number;
  readonly dailyCap: number;
  readonly weeklyCap: number;
  readonly float: number;
  readonly cooldownDays: number;
}

export function toLimits({ rewards, float }: Pick<ArcadeParameters, "rewards" | "float">): Limits {
  const toPoints = (amount: bigint): number => Number(amount / rewards.scoreToTokenRate);
  return {
    maxPayout: toPoints(rewards.maxPayout),
    dailyCap: toPoints(rewards.dailyCap),
    weeklyCap: toPoints(rewards.weeklyCap),
    float: toPoints(float),
    cooldownDays: rewards.payoutCooldownSeconds / DAY_SECONDS,
  };
}

/** The points that a wallet is paid per day on average, limited by the maximum payout. */
export const getPaidPerDay = (pointsPerDay: number, { maxPayout, cooldownDays }: Limits): number =>
  Math.min(pointsPerDay, maxPayout / cooldownDays);

/** The least number of wallets that use up the daily or weekly cap if each is paid `paidPerDay` points. */
export const countStarvingWallets = (paidPerDay: number, { dailyCap, weeklyCap }: Limits): number =>
  paidPerDay === 0 ? Number.POSITIVE_INFINITY : Math.ceil(Math.min(dailyCap, weeklyCap / 7) / paidPerDay);

export function getFarmIncome(wallets: number, paidPerDay: number, { dailyCap, weeklyCap }: Limits) {
  const day = Math.min(wallets * paidPerDay, dailyCap);
  return { day, week: Math.min(day * 7, weeklyCap) };
}
