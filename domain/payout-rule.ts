/** The rewards contract's payout rule (`PayoutRule.sol`), to compute readiness without a node. */
import { READINESS_REASONS, type ReadinessReason } from "./rewards.ts";
import { DAY_SECONDS } from "./time.ts";

/** A wallet's account. Times are unix seconds, 0 for never. */
export interface PayoutAccountFacts {
  readonly scorebank: bigint;
  readonly firstPlayAt: number;
  readonly lastPayoutAt: number;
  /** Since when the wallet's primary identity is primary; 0: it has none. */
  readonly primarySince: number;
}

/** What all payouts share; amounts are token base units. */
export interface PayoutTerms {
  readonly scoreToTokenRate: bigint;
  readonly minScore: bigint;
  readonly cooldownSeconds: number;
  readonly maxPayout: bigint;
  readonly dailyCap: bigint;
  readonly weeklyCap: bigint;
  readonly paidToday: bigint;
  readonly paidThisWeek: bigint;
  readonly float: bigint;
  readonly isPaused: boolean;
  /** The contract's `lastPause()`, unix seconds. */
  readonly pausedFrom: number;
  readonly pausedUntil: number;
}

export interface PayoutReadiness {
  readonly ready: boolean;
  readonly reasons: readonly ReadinessReason[];
  /** Points, and token base units, that a payout would pay now. */
  readonly points: bigint;
  readonly amount: bigint;
  /** Unix seconds; 0: waiting is not needed, or does not help. */
  readonly nextPayoutAt: number;
  readonly dailyRemaining: bigint;
  readonly weeklyRemaining: bigint;
}

const min = (...values: readonly bigint[]): bigint => values.reduce((least, value) => (value < least ? value : least));
const subtract = (from: bigint, value: bigint): bigint => (from > value ? from - value : 0n);

export const startOfDay = (seconds: number): number => seconds - (seconds % DAY_SECONDS);

/** The first second of the UTC week, which begins on Monday; day 0 was a Thursday. */
export const startOfWeek = (seconds: number): number =>
  Math.max(0, Math.floor((Math.floor(seconds / DAY_SECONDS) + 3) / 7) * 7 - 3) * DAY_SECONDS;

/** The end of a cooldown that began at `from`: the time of a pause does not count. */
function getWaitEnd(from: number, terms: PayoutTerms, nowSeconds: number): number {
  const { cooldownSeconds, pausedFrom, pausedUntil } = terms;
  if (from >= pausedUntil) return from + cooldownSeconds;
  const end = Math.min(pausedUntil, nowSeconds);
  return Math.min(from + end - pausedFrom, end) + cooldownSeconds;
}

/** The result of the contract's `readiness(wallet)` in a block at this time (unix seconds). */
export function computeReadiness(account: PayoutAccountFacts, terms: PayoutTerms, nowSeconds: number): PayoutReadiness {
  const { scorebank: bank, primarySince } = account;
  const { scoreToTokenRate: rate, minScore, dailyCap, weeklyCap } = terms;
  const dailyRemaining = subtract(dailyCap, terms.paidToday);
  const weeklyRemaining = subtract(weeklyCap, terms.paidThisWeek);
  const points = min(bank, min(terms.maxPayout, dailyRemaining, weeklyRemaining) / rate);
  const amount = points * rate;
  const cooldownEnd = getWaitEnd(account.lastPayoutAt || account.firstPlayAt, terms, nowSeconds);
  const identityEnd = getWaitEnd(primarySince, terms, nowSeconds);
  const isTooLittle = points < minScore;
  const applies: { readonly [reason in ReadinessReason]: boolean } = {
    SCOREBANK_EMPTY: isTooLittle && bank === 0n,
    BELOW_MINIMUM: isTooLittle && bank !== 0n && bank < minScore,
    COOLDOWN_ACTIVE: bank !== 0n && nowSeconds < cooldownEnd,
    DAILY_CAP: isTooLittle && dailyRemaining / rate < minScore,
    WEEKLY_CAP: isTooLittle && weeklyRemaining / rate < minScore,
    FLOAT_EMPTY: terms.float < amount,
    PAUSED: terms.isPaused,
    IDENTITY_REQUIRED: primarySince === 0,
    IDENTITY_TOO_NEW: primarySince !== 0 && nowSeconds < identityEnd,
  };
  const reasons = READINESS_REASONS.filter((reason) => applies[reason]);
  const ends: { readonly [reason in ReadinessReason]?: number } = {
    COOLDOWN_ACTIVE: cooldownEnd,
    IDENTITY_TOO_NEW: identityEnd,
    DAILY_CAP: startOfDay(nowSeconds) + DAY_SECONDS,
    WEEKLY_CAP: startOfWeek(nowSeconds) + 7 * DAY_SECONDS,
  };
  const isImpossible = min(dailyCap, weeklyCap) / rate < minScore;
  const nextPayoutAt = isImpossible ? 0 : Math.max(0, ...reasons.map((reason) => ends[reason] ?? 0));
  return { ready: reasons.length === 0, reasons, points, amount, nextPayoutAt, dailyRemaining, weeklyRemaining };
}
