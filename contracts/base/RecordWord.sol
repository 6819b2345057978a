// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGameNFT} from "../interfaces/IGameNFT.sol";

/// @dev What a game token says, in one word: bits 0-95 score, 96-103 tier, 104-143 mintedAt, 144-183 upgradedAt,
/// 184-215 upgrades.
type RecordWord is uint256;

using {scoreOf, upgraded, unpackRecord} for RecordWord global;

uint256 constant TIER_OFFSET = 96;
uint256 constant MINTED_OFFSET = 104;
uint256 constant UPGRADED_OFFSET = 144;
uint256 constant UPGRADES_OFFSET = 184;

/// @dev `score` has at most 96 bits, `tier` 8.
function recordOfMint(uint256 score, uint256 tier, uint256 time) pure returns (RecordWord) {
    return RecordWord.wrap(score | (tier << TIER_OFFSET) | (time << MINTED_OFFSET));
}

function scoreOf(RecordWord record) pure returns (uint256) {
    return uint96(RecordWord.unwrap(record));
}

/// @dev Keeps the time of the mint and counts the upgrade; 2^32 of them would take as many transactions.
function upgraded(RecordWord record, uint256 score, uint256 tier, uint256 time) pure returns (RecordWord) {
    unchecked {
        uint256 kept =
            RecordWord.unwrap(record) &
                ((uint256(type(uint40).max) << MINTED_OFFSET) | (uint256(type(uint32).max) << UPGRADES_OFFSET));
        return
            RecordWord.wrap(
                (kept | score | (tier << TIER_OFFSET) | (time << UPGRADED_OFFSET)) + (1 << UPGRADES_OFFSET)
            );
    }
}

function unpackRecord(RecordWord record) pure returns (IGameNFT.Record memory) {
    uint256 word = RecordWord.unwrap(record);
    return
        IGameNFT.Record({
            score: uint96(word),
            tier: uint8(word >> TIER_OFFSET),
            mintedAt: uint40(word >> MINTED_OFFSET),
            upgradedAt: uint40(word >> UPGRADED_OFFSET),
            upgrades: uint32(word >> UPGRADES_OFFSET)
        });
}
