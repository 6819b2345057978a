// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsV2} from "../interfaces/IRewardsV2.sol";

/// @dev A wallet's account in one word, never unpacked into memory on the way of a snapshot:
/// bits 0-95 scorebank, 96-135 firstPlayAt, 136-175 lastPayoutAt, 176-215 lastSnapshotAt, 216-247 snapshots.
type AccountWord is uint256;

using {bankOf, firstOf, paidAtOf, credited, paid, unpack} for AccountWord global;

uint256 constant TIME_MASK = type(uint40).max;
uint256 constant FIRST_OFFSET = 96;
uint256 constant PAID_OFFSET = 136;
uint256 constant LAST_OFFSET = 176;
uint256 constant COUNT_OFFSET = 216;

function bankOf(AccountWord account) pure returns (uint256) {
    return uint96(AccountWord.unwrap(account));
}

function firstOf(AccountWord account) pure returns (uint256) {
    return (AccountWord.unwrap(account) >> FIRST_OFFSET) & TIME_MASK;
}

function paidAtOf(AccountWord account) pure returns (uint256) {
    return (AccountWord.unwrap(account) >> PAID_OFFSET) & TIME_MASK;
}

/// @dev Adds one session of at most 2^64 points; the scorebank holds more than 2^32 of them, which is all that are
/// counted. The first snapshot is also the first play.
function credited(AccountWord account, uint256 score, uint256 time) pure returns (AccountWord) {
    unchecked {
        uint256 word = AccountWord.unwrap(account);
        if (word == 0) word = time << FIRST_OFFSET;
        word &= ~(TIME_MASK << LAST_OFFSET);
        return AccountWord.wrap(word + score + (time << LAST_OFFSET) + (1 << COUNT_OFFSET));
    }
}

/// @dev Empties the scorebank.
function paid(AccountWord account, uint256 time) pure returns (AccountWord) {
    uint256 rest = AccountWord.unwrap(account) & ~((TIME_MASK << PAID_OFFSET) | type(uint96).max);
    return AccountWord.wrap(rest | (time << PAID_OFFSET));
}

function unpack(AccountWord account) pure returns (IRewardsV2.Account memory) {
    uint256 word = AccountWord.unwrap(account);
    return
        IRewardsV2.Account({
            scorebank: uint96(word),
            firstPlayAt: uint40(word >> FIRST_OFFSET),
            lastPayoutAt: uint40(word >> PAID_OFFSET),
            lastSnapshotAt: uint40(word >> LAST_OFFSET),
            snapshots: uint32(word >> COUNT_OFFSET)
        });
}
