/** The tables of docs/economy.md about farms: their cost, and the effect of the settings. */
import { REWARD_TOKEN } from "../../domain/token.ts";
import { formatInteger } from "../../scripts/cli/style.ts";
import { renderTable } from "../../scripts/dev/docs/table.ts";
import { type Earnings, getFarmIncome, type Limits } from "./earnings.ts";
import { type Group, type Levers, MONTH_DAYS, SESSIONS_PER_NETWORK, simulateMonth } from "./farm.ts";

/** Gas of one operation, as test/contracts/gas-snapshot.json has it. */
export type GasOf = (operation: string) => number;

const FARMS = [1, 10, 100, 300, 1000];
const MONTH_FARM = { identities: 300, networks: 3, hoursPerDay: 24, isGasless: false } as const;
const HONEST = { identities: 50, networks: 50, hoursPerDay: 4, isGasless: false } as const;
/** The former maximum payout, which is the table's baseline for every lever. */
const FORMER_PORTION = 50;

const toMillions = (gas: number): string => `${(gas / 1e6).toFixed(1)} M`;

/** A farm of the strongest player that gets the maximum payout each day. */
export function renderFarmCosts(planner: Earnings, limits: Limits, rate: number, gasOf: GasOf): string {
  const portion = limits.maxPayout / limits.cooldownDays;
  const rows = FARMS.map((identities) => {
    const paid = getFarmIncome(identities, portion, limits).week / 7;
    const hours = (identities * portion) / planner.pointsPerHour;
    const addresses = Math.ceil(hours / 24 / SESSIONS_PER_NETWORK);
    const snapshots = (identities * portion) / (planner.pointsPerHour * (planner.secondsPerRun / 3600));
    const once = identities * (gasOf("identity mint") + gasOf("snapshot, first"));
    const daily = Math.max(identities, snapshots) * gasOf("batch of 10, per snapshot, steady");
    const operators = identities * gasOf("payout, steady, relayed");
    return [
      ...[formatInteger(identities), String(addresses), hours.toFixed(1), toMillions(once), toMillions(daily)],
      ...[toMillions(operators), (paid * rate).toFixed(0)],
    ];
  });
  const head = ["identities", "addresses", "hours of play a day", "gas, once", "gas a day", "operator's gas a day"];
  return renderTable([...head, `${REWARD_TOKEN.symbol} a day`], rows);
}

const toGroup = (habits: Omit<Group, "pointsPerSession" | "secondsPerSession">, player: Earnings): Group => ({
  ...habits,
  pointsPerSession: (player.pointsPerHour * player.secondsPerRun) / 3600,
  secondsPerSession: player.secondsPerRun,
});

interface Row {
  readonly name: string;
  readonly levers?: Partial<Levers>;
  readonly limits?: Partial<Limits>;
  readonly farm?: Partial<Group>;
}

/** Every lever alone, then the defaults and the attacks that they do not withstand. */
function listRows(limits: Limits, rate: number): readonly Row[] {
  const toPoints = (tokens: number): number => tokens / rate;
  const former = { maxPayout: toPoints(FORMER_PORTION) };
  const chosen = `**the defaults: a portion of ${(limits.maxPayout * rate).toFixed(0)}**`;
  const alone = (name: string, levers: Partial<Levers>, farm: Partial<Group> = {}): Row => {
    return { name, levers, farm, limits: former };
  };
  return [
    { name: `a portion of ${FORMER_PORTION}`, limits: former },
    alone("and the float refilled every week", { isFloatRefilled: true }),
    ...[40, 30, 10].map((tokens) => ({ name: `a portion of ${tokens}`, limits: { maxPayout: toPoints(tokens) } })),
    ...([0.5, 2] as const).map((factor) => ({
      name: `daily and weekly cap ${factor === 2 ? "doubled" : "halved"}`,
      limits: { ...former, dailyCap: limits.dailyCap * factor, weeklyCap: limits.weeklyCap * factor },
    })),
    { name: "a cooldown of 2 days", limits: { ...former, cooldownDays: 2 }, levers: { identityAgeDays: 2 } },
    ...[7, 14].map((days) => alone(`first payout ${days} days after the identity`, { identityAgeDays: days })),
    ...[200, 50].map((starts) => alone(`${starts} ranked starts a network and day`, { startsPerNetwork: starts })),
    alone("200 starts, a farm in 30 networks", { startsPerNetwork: 200 }, { networks: 30 }),
    ...[1, 3].map((mints) =>
      alone(
        `a farm without ether at 3 addresses, relayed identities an address and day: ${mints}`,
        { mintsPerAddress: mints },
        { isGasless: true },
      ),
    ),
    { name: chosen },
    { name: `${chosen}, the float refilled every week`, levers: { isFloatRefilled: true } },
    { name: "the defaults, a farm of 1,000", farm: { identities: 1000 } },
  ];
}

/** 300 identities of a planner beside 50 agents with the reference bot, for 30 days. */
export function renderLevers(planner: Earnings, reference: Earnings, limits: Limits, rate: number): string {
  const honest = toGroup(HONEST, reference);
  const rows = listRows(limits, rate).map((row) => {
    const farm = { ...toGroup(MONTH_FARM, planner), ...row.farm };
    const month = simulateMonth(farm, honest, {
      startsPerNetwork: Number.POSITIVE_INFINITY,
      identityAgeDays: 1,
      mintsPerAddress: 1,
      isFloatRefilled: false,
      ...row.levers,
      limits: { ...limits, ...row.limits },
    });
    const tokens = (points: number): string => formatInteger(Math.round(points * rate));
    const floatDays = month.floatDays === null ? `more than ${MONTH_DAYS} days` : `${month.floatDays} days`;
    const share = `${Math.round((100 * month.honest) / month.honestAlone)} %`;
    return [row.name, tokens(month.farm), tokens(month.honest), share, floatDays];
  });
  const head = ["settings", "to the farm", "to the 50", "of what they get without it", "float lasts"];
  return renderTable(head, rows);
}
