// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev What all payouts share, in one word: bits 0-47 points paid today, 48-95 points paid this week, 96-143 daily
/// cap, 144-191 weekly cap (both in points), 192-223 the UTC day it speaks of, 224 paused (a copy of the gate's flag,
/// so that a payout does not read the gate).
type WindowWord is uint256;

using {
    dayOf,
    dailyCapOf,
    weeklyCapOf,
    dailyLeft,
    weeklyLeft,
    isClosed,
    on,
    spent,
    withCaps,
    closed
} for WindowWord global;

uint256 constant POINTS_MASK = type(uint48).max;
uint256 constant WEEK_PAID_OFFSET = 48;
uint256 constant DAILY_CAP_OFFSET = 96;
uint256 constant WEEKLY_CAP_OFFSET = 144;
uint256 constant DAY_OFFSET = 192;
uint256 constant CLOSED = 1 << 224;

function dayOf(WindowWord window) pure returns (uint256) {
    return uint32(WindowWord.unwrap(window) >> DAY_OFFSET);
}

function dailyCapOf(WindowWord window) pure returns (uint256) {
    return (WindowWord.unwrap(window) >> DAILY_CAP_OFFSET) & POINTS_MASK;
}

function weeklyCapOf(WindowWord window) pure returns (uint256) {
    return (WindowWord.unwrap(window) >> WEEKLY_CAP_OFFSET) & POINTS_MASK;
}

function dailyLeft(WindowWord window) pure returns (uint256) {
    return leftOf(dailyCapOf(window), WindowWord.unwrap(window) & POINTS_MASK);
}

function weeklyLeft(WindowWord window) pure returns (uint256) {
    return leftOf(weeklyCapOf(window), (WindowWord.unwrap(window) >> WEEK_PAID_OFFSET) & POINTS_MASK);
}

function isClosed(WindowWord window) pure returns (bool) {
    return WindowWord.unwrap(window) & CLOSED != 0;
}

/// @dev The window of `day`: what was paid on days and in weeks gone by is left out.
function on(WindowWord window, uint256 day) pure returns (WindowWord) {
    uint256 before = dayOf(window);
    if (before == day) return window;
    uint256 gone = (uint256(type(uint32).max) << DAY_OFFSET) | POINTS_MASK;
    if (weekOf(before) != weekOf(day)) gone |= POINTS_MASK << WEEK_PAID_OFFSET;
    return WindowWord.wrap((WindowWord.unwrap(window) & ~gone) | (day << DAY_OFFSET));
}

/// @dev Both sums stay within their caps, which have 48 bits: the caller has asked `dailyLeft` and `weeklyLeft`.
function spent(WindowWord window, uint256 points) pure returns (WindowWord) {
    unchecked {
        return WindowWord.wrap(WindowWord.unwrap(window) + points + (points << WEEK_PAID_OFFSET));
    }
}

/// @dev Caps have at most 48 bits.
function withCaps(WindowWord window, uint256 daily, uint256 weekly) pure returns (WindowWord) {
    uint256 rest =
        WindowWord.unwrap(window) & ~((POINTS_MASK << DAILY_CAP_OFFSET) | (POINTS_MASK << WEEKLY_CAP_OFFSET));
    return WindowWord.wrap(rest | (daily << DAILY_CAP_OFFSET) | (weekly << WEEKLY_CAP_OFFSET));
}

function closed(WindowWord window, bool value) pure returns (WindowWord) {
    uint256 rest = WindowWord.unwrap(window) & ~CLOSED;
    return WindowWord.wrap(value ? rest | CLOSED : rest);
}

/// @dev Weeks begin on Monday; day 0 was a Thursday.
function weekOf(uint256 day) pure returns (uint256) {
    unchecked {
        return (day + 3) / 7;
    }
}

/// @dev A cap may have been lowered below what was paid.
function leftOf(uint256 cap, uint256 points) pure returns (uint256) {
    unchecked {
        return cap > points ? cap - points : 0;
    }
}
