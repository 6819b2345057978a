// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @dev What a game token records, in the 96 bits beside its owner.
 *
 * Layout, highest bits first:
 * 26 bits upgradedAtMinute | 26 bits mintedAtMinute | 12 bits upgrades | 32 bits score
 *
 * Times are whole minutes since 1970-01-01, zero for never; 26 bits last until the year 2097. `upgrades` stays at 4,095
 * once it is there.
 */
type GameRecord is uint96;

using {score, upgrades, mintedAt, upgradedAt, upgrade, annul} for GameRecord global;

uint96 constant SCORE_MASK = type(uint32).max;
uint96 constant UPGRADES_OFFSET = 32;
uint96 constant UPGRADES_MASK = 0xfff;
uint96 constant MINTED_AT_OFFSET = 44;
uint96 constant UPGRADED_AT_OFFSET = 70;
uint96 constant MINUTE_MASK = 0x3ffffff;

/// @dev `points` has at most 32 bits, the time of a mint fewer than 2^26 minutes.
function newGameRecord(uint256 points, uint256 time) pure returns (GameRecord) {
    return GameRecord.wrap(uint96(points) | (uint96(time / 1 minutes) << MINTED_AT_OFFSET));
}

function score(GameRecord record) pure returns (uint256) {
    return GameRecord.unwrap(record) & SCORE_MASK;
}

function upgrades(GameRecord record) pure returns (uint256) {
    return (GameRecord.unwrap(record) >> UPGRADES_OFFSET) & UPGRADES_MASK;
}

/// @dev Unix seconds.
function mintedAt(GameRecord record) pure returns (uint256) {
    return uint256((GameRecord.unwrap(record) >> MINTED_AT_OFFSET) & MINUTE_MASK) * 1 minutes;
}

/// @dev Unix seconds.
function upgradedAt(GameRecord record) pure returns (uint256) {
    return uint256(GameRecord.unwrap(record) >> UPGRADED_AT_OFFSET) * 1 minutes;
}

/// @dev Keeps the time of the mint. `points` has at most 32 bits.
function upgrade(GameRecord record, uint256 points, uint256 time) pure returns (GameRecord) {
    unchecked {
        uint96 count = (GameRecord.unwrap(record) >> UPGRADES_OFFSET) & UPGRADES_MASK;
        if (count < UPGRADES_MASK) ++count;
        uint96 kept = GameRecord.unwrap(record) & (MINUTE_MASK << MINTED_AT_OFFSET);
        return
            GameRecord.wrap(
                kept | uint96(points) | (count << UPGRADES_OFFSET) | (uint96(time / 1 minutes) << UPGRADED_AT_OFFSET)
            );
    }
}

/// @dev The score becomes zero; times and upgrades stay.
function annul(GameRecord record) pure returns (GameRecord) {
    return GameRecord.wrap(GameRecord.unwrap(record) & ~SCORE_MASK);
}
