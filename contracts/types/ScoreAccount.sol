// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsV2} from "../interfaces/IRewardsV2.sol";

/**
 * @dev A wallet's account in RewardsV2. Times are Unix seconds, zero for never.
 *
 * Layout, highest bits first:
 * 8 bits empty | 32 bits snapshots | 40 bits lastSnapshotAt | 40 bits lastPayoutAt | 40 bits firstPlayAt
 * | 96 bits scorebank
 */
type ScoreAccount is uint256;

using {scorebank, firstPlayAt, lastPayoutAt, credit, take, pay, restore, unpack} for ScoreAccount global;

uint256 constant TIME_MASK = type(uint40).max;
uint256 constant FIRST_PLAY_AT_OFFSET = 96;
uint256 constant LAST_PAYOUT_AT_OFFSET = 136;
uint256 constant LAST_SNAPSHOT_AT_OFFSET = 176;
uint256 constant SNAPSHOTS_OFFSET = 216;

function scorebank(ScoreAccount account) pure returns (uint256) {
    return uint96(ScoreAccount.unwrap(account));
}

function firstPlayAt(ScoreAccount account) pure returns (uint256) {
    return (ScoreAccount.unwrap(account) >> FIRST_PLAY_AT_OFFSET) & TIME_MASK;
}

function lastPayoutAt(ScoreAccount account) pure returns (uint256) {
    return (ScoreAccount.unwrap(account) >> LAST_PAYOUT_AT_OFFSET) & TIME_MASK;
}

/// @dev Adds one session of at most 2^64 - 1 points. The scorebank has room for more than 2^32 of them, and 2^32
/// snapshots of one wallet cost more gas than blocks hold in a thousand years. The first snapshot is the first play.
function credit(ScoreAccount account, uint256 score, uint256 time) pure returns (ScoreAccount) {
    unchecked {
        uint256 word = ScoreAccount.unwrap(account);
        if (word == 0) word = time << FIRST_PLAY_AT_OFFSET;
        word &= ~(TIME_MASK << LAST_SNAPSHOT_AT_OFFSET);
        return ScoreAccount.wrap(word + score + (time << LAST_SNAPSHOT_AT_OFFSET) + (1 << SNAPSHOTS_OFFSET));
    }
}

/// @dev Takes points that the scorebank holds out of it.
function take(ScoreAccount account, uint256 points) pure returns (ScoreAccount) {
    unchecked {
        return ScoreAccount.wrap(ScoreAccount.unwrap(account) - points);
    }
}

/// @dev Puts points back that were taken out of the scorebank, which has room for all that were ever credited.
function restore(ScoreAccount account, uint256 points) pure returns (ScoreAccount) {
    unchecked {
        return ScoreAccount.wrap(ScoreAccount.unwrap(account) + points);
    }
}

/// @dev As `take`, and notes the time of the payout.
function pay(ScoreAccount account, uint256 points, uint256 time) pure returns (ScoreAccount) {
    unchecked {
        uint256 rest = ScoreAccount.unwrap(account) & ~(TIME_MASK << LAST_PAYOUT_AT_OFFSET);
        return ScoreAccount.wrap((rest - points) | (time << LAST_PAYOUT_AT_OFFSET));
    }
}

function unpack(ScoreAccount account) pure returns (IRewardsV2.Account memory) {
    uint256 word = ScoreAccount.unwrap(account);
    return
        IRewardsV2.Account({
            scorebank: uint96(word),
            firstPlayAt: uint40(word >> FIRST_PLAY_AT_OFFSET),
            lastPayoutAt: uint40(word >> LAST_PAYOUT_AT_OFFSET),
            lastSnapshotAt: uint40(word >> LAST_SNAPSHOT_AT_OFFSET),
            snapshots: uint32(word >> SNAPSHOTS_OFFSET)
        });
}
