// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @dev What all payouts of RewardsV2 share. Caps and sums are score points.
 *
 * Layout, highest bits first:
 * 32 bits resumedAt | 24 bits day | 40 bits maxPayout | 40 bits weeklyCap | 40 bits dailyCap
 * | 40 bits paidThisWeek | 40 bits paidToday
 *
 * `day` is the UTC day (days since 1970-01-01) that both sums speak of. `resumedAt` is when the last pause ended: Unix
 * seconds, zero for never, and the highest value while the contract is paused, so that a payout need not read the
 * SignerConfig. 32 bits last until the year 2106.
 */
type PayoutWindow is uint256;

using {
    day,
    paidToday,
    paidThisWeek,
    dailyCap,
    weeklyCap,
    maxPayout,
    paused,
    resumedAt,
    dailyLeft,
    weeklyLeft,
    payableNow,
    onDay,
    spend,
    setCaps,
    setMaxPayout,
    pause,
    resume
} for PayoutWindow global;

uint256 constant POINTS_MASK = type(uint40).max;
uint256 constant PAID_THIS_WEEK_OFFSET = 40;
uint256 constant DAILY_CAP_OFFSET = 80;
uint256 constant WEEKLY_CAP_OFFSET = 120;
uint256 constant MAX_PAYOUT_OFFSET = 160;
uint256 constant DAY_OFFSET = 200;
uint256 constant DAY_MASK = type(uint24).max;
uint256 constant RESUMED_AT_OFFSET = 224;
uint256 constant NOT_RESUMED = type(uint32).max;

function day(PayoutWindow window) pure returns (uint256) {
    return (PayoutWindow.unwrap(window) >> DAY_OFFSET) & DAY_MASK;
}

function paidToday(PayoutWindow window) pure returns (uint256) {
    return PayoutWindow.unwrap(window) & POINTS_MASK;
}

function paidThisWeek(PayoutWindow window) pure returns (uint256) {
    return (PayoutWindow.unwrap(window) >> PAID_THIS_WEEK_OFFSET) & POINTS_MASK;
}

function dailyCap(PayoutWindow window) pure returns (uint256) {
    return (PayoutWindow.unwrap(window) >> DAILY_CAP_OFFSET) & POINTS_MASK;
}

function weeklyCap(PayoutWindow window) pure returns (uint256) {
    return (PayoutWindow.unwrap(window) >> WEEKLY_CAP_OFFSET) & POINTS_MASK;
}

function maxPayout(PayoutWindow window) pure returns (uint256) {
    return (PayoutWindow.unwrap(window) >> MAX_PAYOUT_OFFSET) & POINTS_MASK;
}

function paused(PayoutWindow window) pure returns (bool) {
    return resumedAt(window) == NOT_RESUMED;
}

function resumedAt(PayoutWindow window) pure returns (uint256) {
    return PayoutWindow.unwrap(window) >> RESUMED_AT_OFFSET;
}

/// @dev A cap may have been lowered below what was paid.
function dailyLeft(PayoutWindow window) pure returns (uint256) {
    return saturatingSub(dailyCap(window), paidToday(window));
}

/// @dev As `dailyLeft`.
function weeklyLeft(PayoutWindow window) pure returns (uint256) {
    return saturatingSub(weeklyCap(window), paidThisWeek(window));
}

/// @dev The most that one payout may take now.
function payableNow(PayoutWindow window) pure returns (uint256) {
    return min(maxPayout(window), min(dailyLeft(window), weeklyLeft(window)));
}

/// @dev The window of `today`: sums of days and weeks that have passed are zero. `today` has at most 24 bits.
function onDay(PayoutWindow window, uint256 today) pure returns (PayoutWindow) {
    uint256 before = day(window);
    if (before == today) return window;
    uint256 cleared = (DAY_MASK << DAY_OFFSET) | POINTS_MASK;
    if (weekOf(before) != weekOf(today)) cleared |= POINTS_MASK << PAID_THIS_WEEK_OFFSET;
    return PayoutWindow.wrap((PayoutWindow.unwrap(window) & ~cleared) | (today << DAY_OFFSET));
}

/// @dev `points` is at most `payableNow`, so both sums stay within their caps, which have 40 bits.
function spend(PayoutWindow window, uint256 points) pure returns (PayoutWindow) {
    unchecked {
        return PayoutWindow.wrap(PayoutWindow.unwrap(window) + points + (points << PAID_THIS_WEEK_OFFSET));
    }
}

/// @dev Caps have at most 40 bits: the caller has checked them.
function setCaps(PayoutWindow window, uint256 daily, uint256 weekly) pure returns (PayoutWindow) {
    uint256 cleared = (POINTS_MASK << DAILY_CAP_OFFSET) | (POINTS_MASK << WEEKLY_CAP_OFFSET);
    uint256 rest = PayoutWindow.unwrap(window) & ~cleared;
    return PayoutWindow.wrap(rest | (daily << DAILY_CAP_OFFSET) | (weekly << WEEKLY_CAP_OFFSET));
}

/// @dev `points` has at most 40 bits: the caller has checked it.
function setMaxPayout(PayoutWindow window, uint256 points) pure returns (PayoutWindow) {
    uint256 rest = PayoutWindow.unwrap(window) & ~(POINTS_MASK << MAX_PAYOUT_OFFSET);
    return PayoutWindow.wrap(rest | (points << MAX_PAYOUT_OFFSET));
}

function pause(PayoutWindow window) pure returns (PayoutWindow) {
    return resume(window, NOT_RESUMED);
}

/// @dev `time` has at most 32 bits.
function resume(PayoutWindow window, uint256 time) pure returns (PayoutWindow) {
    uint256 rest = PayoutWindow.unwrap(window) & ((1 << RESUMED_AT_OFFSET) - 1);
    return PayoutWindow.wrap(rest | (time << RESUMED_AT_OFFSET));
}

/// @dev Weeks begin on Monday; day 0 was a Thursday.
function weekOf(uint256 dayNumber) pure returns (uint256) {
    unchecked {
        return (dayNumber + 3) / 7;
    }
}

function min(uint256 a, uint256 b) pure returns (uint256) {
    return a < b ? a : b;
}

function saturatingSub(uint256 a, uint256 b) pure returns (uint256) {
    unchecked {
        return a > b ? a - b : 0;
    }
}
