/** A month of a farm beside honest agents, day by day: who is paid under which settings. */
import type { Limits } from "./earnings.ts";

/** Settings and practices that an operator can change. */
export interface Levers {
  readonly limits: Limits;
  readonly startsPerNetwork: number;
  /** Days from an identity's mint to its first payout. */
  readonly identityAgeDays: number;
  /** Identities that the operator mints for one address in a day. In this model the farm pays for none itself. */
  readonly mintsPerAddress: number;
  /** Whether the treasury refills the float to its initial amount every week. */
  readonly isFloatRefilled: boolean;
}

/** Agents of one kind. Points are those of one session, on average. */
export interface Group {
  readonly identities: number;
  readonly networks: number;
  readonly pointsPerSession: number;
  readonly secondsPerSession: number;
  readonly hoursPerDay: number;
  /** Whether the operator has to mint its identities. */
  readonly isGasless: boolean;
}

export interface Month {
  /** Points paid in 30 days. */
  readonly farm: number;
  readonly honest: number;
  /** What the honest agents would be paid in the same month if there were no farm. */
  readonly honestAlone: number;
  /** Days until the float is empty; null if it lasts the month. */
  readonly floatDays: number | null;
}

export const MONTH_DAYS = 30;
export const SESSIONS_PER_NETWORK = 5;
const HOUR_SECONDS = 3600;

/** The sessions that a group plays in a day, limited by its hours, its addresses' places, and starts. */
function countSessions(group: Group, identities: number, { startsPerNetwork }: Levers): number {
  const places = Math.min(identities, group.networks * SESSIONS_PER_NETWORK);
  const played = (places * group.hoursPerDay * HOUR_SECONDS) / group.secondsPerSession;
  return Math.min(played, group.networks * startsPerNetwork);
}

function countMinted({ identities, networks, isGasless }: Group, day: number, { mintsPerAddress }: Levers): number {
  if (day < 0) return 0;
  return isGasless ? Math.min(identities, mintsPerAddress * networks * (day + 1)) : identities;
}

/** Simulates the month. The farm requests its payouts at midnight, before everyone else. */
export function simulateMonth(farm: Group, honest: Group, levers: Levers): Month {
  const alone = payMonth([{ ...farm, identities: 0 }, honest], levers);
  const { paid, floatDays } = payMonth([farm, honest], levers);
  return { farm: paid[0]!, honest: paid[1]!, honestAlone: alone.paid[1]!, floatDays };
}

function payMonth(groups: readonly Group[], levers: Levers) {
  const { limits, identityAgeDays, isFloatRefilled } = levers;
  const paid = groups.map(() => 0);
  // A group shares its points evenly, so one scorebank represents all its identities.
  const banks = groups.map(() => 0);
  let float = limits.float;
  let week = 0;
  let floatDays: number | null = null;
  for (let day = 0; day < MONTH_DAYS; day += 1) {
    if (day % 7 === 0) {
      week = limits.weeklyCap;
      if (isFloatRefilled) float = limits.float;
    }
    let left = Math.min(limits.dailyCap, week, float);
    for (const [index, group] of groups.entries()) {
      const identities = countMinted(group, day, levers);
      const matured = countMinted(group, day - identityAgeDays, levers);
      // Paid at the start of the day for play on earlier days.
      const isPayday = day % limits.cooldownDays === 0;
      const amount = isPayday ? Math.min(banks[index]!, matured * limits.maxPayout, left) : 0;
      banks[index]! += countSessions(group, identities, levers) * group.pointsPerSession - amount;
      paid[index]! += amount;
      left -= amount;
      week -= amount;
      float -= amount;
    }
    if (float < 1 && floatDays === null) floatDays = day + 1;
  }
  return { paid, floatDays };
}
