/** docs/economy.md: what players earn, and the limits. */
import { readFileSync } from "node:fs";
import { type ArcadeParameters, createPublicParameters } from "../../deploy/modules/parameters.ts";
import { REWARD_TOKEN } from "../../domain/token.ts";
import type { Game } from "../../games/game.ts";
import { formatInteger } from "../../scripts/cli/style.ts";
import { renderTable } from "../../scripts/dev/docs/table.ts";
import { countStarvingWallets, type Earnings, getPaidPerDay, type Limits, measureGames, toLimits } from "./earnings.ts";
import { renderFarmCosts, renderLevers } from "./farm-tables.ts";

const HOURS_PER_DAY = 24;
const ONE_TOKEN = 10n ** 18n;
const GAS_FILE = new URL("../../test/contracts/gas-snapshot.json", import.meta.url);

/** The limits of public networks; roles do not change them. */
export function createParameters(): Pick<ArcadeParameters, "rewards" | "float"> {
  const address = `0x${"11".repeat(20)}` as const;
  const signers = { identity: address, score: address, nft: {} };
  const roles = { admin: address, guardian: address, operator: address, treasury: address, signers };
  return createPublicParameters({ ...roles, publicUrl: "https://arcade.example" });
}

const formatPoints = (points: number): string => formatInteger(Math.round(points));
const formatPercent = (share: number): string => `${(100 * share).toFixed(share < 0.001 ? 3 : 2)} %`;
const formatWallets = (count: number): string => (Number.isFinite(count) ? formatInteger(count) : "none suffices");

/** The tokens paid for one point. */
const getRate = ({ rewards }: Pick<ArcadeParameters, "rewards">): number =>
  Number(rewards.scoreToTokenRate) / Number(ONE_TOKEN);

function renderParameters(parameters: Pick<ArcadeParameters, "rewards" | "float">): string {
  const { rewards, float } = parameters;
  const tokens = (amount: bigint): string => `${formatInteger(amount / ONE_TOKEN)} ${REWARD_TOKEN.symbol}`;
  const points = (amount: bigint): string => formatInteger(amount / rewards.scoreToTokenRate);
  const amountRow = (name: string, amount: bigint, bounds: string) => [name, tokens(amount), points(amount), bounds];
  return renderTable(
    ["parameter", "tokens", "points", "bounds"],
    [
      ["`scoreToTokenRate`", `${getRate(parameters)} ${REWARD_TOKEN.symbol}`, "1", "what a point is worth"],
      [
        "`minScore`",
        tokens(rewards.minScore * rewards.scoreToTokenRate),
        formatInteger(rewards.minScore),
        "the smallest scorebank that is paid, because a payout costs the operator gas",
      ],
      ["`maxScorePerSession`", "", formatInteger(rewards.maxScorePerSession), "what one signature can credit"],
      [
        "`payoutCooldownSeconds`",
        "",
        "",
        `a wallet is paid once in ${rewards.payoutCooldownSeconds / 3600} hours; the first time, this long after its first snapshot and its identity`,
      ],
      amountRow(
        "`maxPayout`",
        rewards.maxPayout,
        "the portion of one wallet in one cooldown; the rest of its scorebank waits",
      ),
      amountRow(
        "`dailyCap`",
        rewards.dailyCap,
        "all payouts of a day (UTC); with every key stolen, twice as much is lost around midnight",
      ),
      amountRow("`weeklyCap`", rewards.weeklyCap, "all payouts of a week"),
      amountRow("float", float, "everything, until the treasury funds it again"),
    ],
  );
}

const getPlayer = (earnings: readonly Earnings[], slug: string, player: string): Earnings =>
  earnings.find((one) => one.slug === slug && one.player === player)!;

const renderEarnings = (earnings: readonly Earnings[], limits: Limits, rate: number): string =>
  renderTable(
    [
      ...["game", "player", "points of a run, median", "best", "points an hour of play", "of the reference bot's"],
      ...[`${REWARD_TOKEN.symbol} a day`, "runs"],
    ],
    earnings.map(({ slug, player, medianPoints, bestPoints, pointsPerHour, runs }) => [
      ...[slug, player, formatPoints(medianPoints), formatPoints(bestPoints), formatPoints(pointsPerHour)],
      formatPercent(pointsPerHour / getPlayer(earnings, slug, "reference").pointsPerHour),
      ...[(getPaidPerDay(pointsPerHour * HOURS_PER_DAY, limits) * rate).toFixed(2), String(runs)],
    ]),
  );

/** What a wallet earns if it plays every game simultaneously all day, by the player's name. */
function sumByPlayer(earnings: readonly Earnings[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { player, pointsPerHour } of earnings)
    sums.set(player, (sums.get(player) ?? 0) + pointsPerHour * HOURS_PER_DAY);
  return sums;
}

function renderWallets(perDay: ReadonlyMap<string, number>, limits: Limits, rate: number): string {
  const rows = [...perDay].map(([player, points]) => {
    const paid = getPaidPerDay(points, limits);
    return [
      ...[player, formatPoints(points), formatPoints(paid), (paid * rate).toFixed(2)],
      ...[formatPercent(paid / limits.dailyCap), formatWallets(countStarvingWallets(paid, limits))],
    ];
  });
  const head = ["player", "points a day", "paid a day, points", "tokens", "share of the day's cap"];
  return renderTable([...head, "wallets that take it all"], rows);
}

/** Explains the effect of the maximum payout on a wallet that earns more, and why it is not larger. */
function renderPortion(earnings: readonly Earnings[], perDay: ReadonlyMap<string, number>, limits: Limits): string {
  const portion = getPaidPerDay(Number.POSITIVE_INFINITY, limits);
  const slugs = [...new Set(earnings.map(({ slug }) => slug))];
  const hours = slugs.map(
    (slug) => `${(portion / getPlayer(earnings, slug, "reference").pointsPerHour).toFixed(1)} hours of ${slug}`,
  );
  const earned = perDay.get("reference")!;
  const days = (earned - portion) / portion;
  const wallets = formatInteger(countStarvingWallets(earned, limits));
  return (
    `**A wallet that plays around the clock is paid less than it earns.** The portion is what the reference bot makes in ${hours.join(" or ")}. ` +
    `It makes ${formatPoints(earned)} points in a whole day with every game, and is paid ${formatPoints(portion)}. Each such day leaves points for ${days.toFixed(1)} more payouts in its scorebank, ` +
    `which it gets only if it plays less. That is intended: without the portion, ${wallets} such wallets would take all of a week's cap, and the running time of machines would decide who is paid. ` +
    "A wallet that earns at most its portion a day is paid everything."
  );
}

interface GasFigure {
  readonly operation: string;
  readonly measured: number;
}

/** The gas of an operation that each wallet of a farm needs, as measured by `npm run gas`. */
function getGas(operation: string): number {
  const figures = JSON.parse(readFileSync(GAS_FILE, "utf8")) as readonly GasFigure[];
  const figure = figures.find((one) => one.operation === operation);
  if (figure === undefined) throw new Error(`${GAS_FILE.pathname} has no figure of "${operation}"`);
  return figure.measured;
}

/** Renders the whole document. Measures the bots of these games, which takes some seconds. */
export function renderEconomyDocument(games: readonly Game[]): string {
  const parameters = createParameters();
  const limits = toLimits(parameters);
  const rate = getRate(parameters);
  const earnings = measureGames(games);
  const perDay = sumByPlayer(earnings);
  const portion = getPaidPerDay(Number.POSITIVE_INFINITY, limits);
  const least = countStarvingWallets(portion, limits);
  const planner = getPlayer(earnings, "shellrunners", "planner");
  const reference = getPlayer(earnings, "shellrunners", "reference");
  return [
    "# The economy",
    "",
    "Points are paid in tokens. This page shows who can earn how much, and what limits it. All figures follow from the games' rules, the parameters of public networks (`deploy/modules/parameters.ts`) and the contracts' gas.",
    "",
    "## Limits",
    "",
    renderParameters(parameters),
    "",
    `**Fewer than ${formatInteger(least)} wallets cannot starve others.** Each is paid at most ${formatPoints(portion)} points (${(portion * rate).toFixed(0)} ${REWARD_TOKEN.symbol}) a day, however well and long it plays, so a part of every day's and every week's cap is left. The rest of a scorebank waits for the next cooldown; it never expires.`,
    "",
    "## Points of a player",
    "",
    "Total points by total time, one run after the other on the seeds of [games.md](games.md), without the pauses between runs and snapshots: an upper bound. The pay is that of a wallet that plays this game around the clock. `sends nothing` starts sessions and never acts, `starter` is the bot of `npm run new-bot`, `trained` that of [examples/train](training.md#a-trained-policy). `better` looks two seconds ahead, in [games/](../games/search.ts). `planner` looks 2.6 s ahead with a wider search (`lab/economy/planner.ts`), and needs 15 ms of a core for a second of play, so that it keeps up with any tick.",
    "",
    renderEarnings(earnings, limits, rate),
    "",
    "## One wallet",
    "",
    "A wallet may play all games at once. This one plays every game for which its player has a row, 24 hours a day, and is paid its points up to its portion. The last column is the smallest number of such wallets that take a whole day's cap (or a seventh of a week's).",
    "",
    renderWallets(perDay, limits, rate),
    "",
    renderPortion(earnings, perDay, limits),
    "",
    "## What a farm costs",
    "",
    `Identities of one owner, each of which plays shellrunners with \`planner\` until it has its portion. One address runs 5 sessions at once ([limits.md](limits.md)), which is ${Math.floor((5 * HOURS_PER_DAY * planner.pointsPerHour) / portion)} portions a day. Gas: once for the identity (${formatInteger(getGas("identity mint"))}) and its first snapshot, then ${formatInteger(getGas("batch of 10, per snapshot, steady"))} for each snapshot of a batch; the operator pays ${formatInteger(getGas("payout, steady, relayed"))} for each relayed payout. A float and a cap are one for all, first come first served from 00:00 UTC on.`,
    "",
    renderFarmCosts(planner, limits, rate, getGas),
    "",
    "## What the settings do",
    "",
    "Thirty days of 300 identities of `planner` in 3 networks, which play around the clock and request their payouts first. In addition 50 agents, each in a separate network, play shellrunners with the reference bot for 4 hours a day. Each row changes one setting of the first row; the last three rows are the defaults. Amounts in ARCD.",
    "",
    renderLevers(planner, reference, limits, rate),
    "",
    `- **The portion decides.** A smaller one makes the same farm leave caps and float to others. Agents that earn more than the portion in a day get less, honest ones too. ${(portion * rate).toFixed(0)} is the largest portion of the table with which the float lasts the month and the 50 get nearly as much as without the farm. The guardian can lower \`maxPayout\` at once.`,
    "- **The float limits the loss** between two refills. Refill it weekly, after you have checked the payouts.",
    "- **Caps do not tell wallets apart.** The first wallets of a day use up a low cap; a high one empties the float sooner.",
    "- **Age delays** a farm once, and every honest agent too.",
    `- **A limit on ranked starts per network and day** would cost weak players most: ${formatPoints(planner.pointsPerHour * (planner.secondsPerRun / 3600))} points take \`planner\` one start, the reference bot ${Math.round((planner.pointsPerHour * planner.secondsPerRun) / (reference.pointsPerHour * reference.secondsPerRun))}. A farm in 30 networks does not notice it. So there is no such limit.`,
    "- **Relays**: one free identity per address and day slows a farm without ether. That is why it stays at one, although a second agent at the same address must wait for the next day or pay its gas. A farm that pays its gas is not slowed.",
    "",
    "## What remains",
    "",
    `A wallet costs nothing, and nothing here distinguishes a person from a farm. With ${formatInteger(least)} identities that really play, one owner takes all caps, whatever the settings are; a smaller portion only raises that number. As long as the token has a price, networks and gas are cheap compared with the payouts. Caps and float limit the loss, and the operator sees it in the payouts. \`maxScorePerSession\` is above the best known run, so it does not affect honest players; it does not limit farms either.`,
    "",
    "*Made by `npm run lab -- economy`; `npm run lab -- economy --check` compares.*",
    "",
  ].join("\n");
}
