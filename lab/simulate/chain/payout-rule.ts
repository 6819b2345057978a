/** When the rewards contract pays, and how much (`PayoutRule.sol`). Amounts are points unless stated. */
import { type Limits, NO_ACCOUNT, NO_HOLDER, type State } from "./state.ts";

const DAY_SECONDS = 86_400n;

/** Bits of the contract's reasons, in their order (`PayoutReasons.sol`). */
export const REASONS = [
  "SCOREBANK_EMPTY",
  "BELOW_MINIMUM",
  "COOLDOWN_ACTIVE",
  "DAILY_CAP",
  "WEEKLY_CAP",
  "FLOAT_EMPTY",
  "PAUSED",
  "IDENTITY_REQUIRED",
  "IDENTITY_TOO_NEW",
] as const;
type Reason = (typeof REASONS)[number];

export interface PayoutTerms {
  readonly points: bigint;
  /** Token base units. */
  readonly amount: bigint;
  readonly reasons: bigint;
  /** Unix seconds; 0 if waiting does not help, or if a payout is possible now. */
  readonly nextPayoutAt: bigint;
  readonly dailyLeft: bigint;
  readonly weeklyLeft: bigint;
  /** The error of a payout now; null if it pays. */
  readonly revert: { readonly name: string; readonly args: readonly unknown[] } | null;
}

const min = (...values: readonly bigint[]): bigint => values.reduce((least, value) => (value < least ? value : least));
const max = (...values: readonly bigint[]): bigint => values.reduce((most, value) => (value > most ? value : most));
const subtract = (from: bigint, value: bigint): bigint => (from > value ? from - value : 0n);
/** Day 0 was a Thursday. */
const weekOf = (day: bigint): bigint => (day + 3n) / 7n;

type Sums = Pick<State, "day" | "paidToday" | "paidThisWeek">;

export function windowOn({ day, paidToday, paidThisWeek }: Sums, time: bigint): Sums {
  const today = time / DAY_SECONDS;
  if (day === today) return { day, paidToday, paidThisWeek };
  return { day: today, paidToday: 0n, paidThisWeek: weekOf(day) === weekOf(today) ? paidThisWeek : 0n };
}

export function explainPayout(state: State, limits: Limits, wallet: string, float: bigint, time: bigint): PayoutTerms {
  const { rate, cooldownSeconds, minScore, dailyCap, weeklyCap } = limits;
  const account = state.accounts.get(wallet) ?? NO_ACCOUNT;
  const { primarySince } = state.holders.get(wallet) ?? NO_HOLDER;
  const { day, paidToday, paidThisWeek } = windowOn(state, time);
  const [dailyLeft, weeklyLeft] = [subtract(dailyCap, paidToday), subtract(weeklyCap, paidThisWeek)];
  const bank = account.scorebank;
  const points = min(bank, limits.maxPayout, dailyLeft, weeklyLeft);
  const amount = points * rate;
  const cooldownEnd = (account.lastPayoutAt || account.firstPlayAt) + cooldownSeconds;
  const isTooLittle = points < minScore;
  const applies: { readonly [reason in Reason]: boolean } = {
    SCOREBANK_EMPTY: isTooLittle && bank === 0n,
    BELOW_MINIMUM: isTooLittle && bank !== 0n && bank < minScore,
    COOLDOWN_ACTIVE: bank !== 0n && time < cooldownEnd,
    DAILY_CAP: isTooLittle && dailyLeft < minScore,
    WEEKLY_CAP: isTooLittle && weeklyLeft < minScore,
    FLOAT_EMPTY: float < amount,
    PAUSED: false,
    IDENTITY_REQUIRED: primarySince === 0n,
    IDENTITY_TOO_NEW: primarySince !== 0n && time < primarySince + cooldownSeconds,
  };
  const reasons = REASONS.reduce((bits, reason, index) => (applies[reason] ? bits | (1n << BigInt(index)) : bits), 0n);
  const errors: readonly (readonly [Reason, string, readonly unknown[]])[] = [
    ["SCOREBANK_EMPTY", "ScorebankEmpty", [wallet]],
    ["BELOW_MINIMUM", "BelowMinimum", [bank, minScore]],
    ["IDENTITY_REQUIRED", "IdentityRequired", [wallet]],
    ["COOLDOWN_ACTIVE", "CooldownActive", [cooldownEnd]],
    ["IDENTITY_TOO_NEW", "IdentityTooNew", [wallet, primarySince + cooldownSeconds]],
    ["FLOAT_EMPTY", "FloatTooLow", [float, amount]],
    ["DAILY_CAP", "CapExceeded", [min(dailyLeft, weeklyLeft) * rate]],
    ["WEEKLY_CAP", "CapExceeded", [min(dailyLeft, weeklyLeft) * rate]],
  ];
  const [, name, args] = errors.find(([reason]) => applies[reason]) ?? [null, null, []];
  const ends: readonly (readonly [Reason, bigint])[] = [
    ["COOLDOWN_ACTIVE", cooldownEnd],
    ["IDENTITY_TOO_NEW", primarySince + cooldownSeconds],
    ["DAILY_CAP", (day + 1n) * DAY_SECONDS],
    ["WEEKLY_CAP", ((weekOf(day) + 1n) * 7n - 3n) * DAY_SECONDS],
  ];
  const times = ends.filter(([reason]) => applies[reason]).map(([, end]) => end);
  const nextPayoutAt = min(dailyCap, weeklyCap) < minScore ? 0n : max(0n, ...times);
  const revert = name === null ? null : { name, args };
  return { points, amount, reasons, nextPayoutAt, dailyLeft, weeklyLeft, revert };
}
