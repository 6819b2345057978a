// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev What a wallet is to the identities, in one word: bits 0-63 its primary identity, 64-127 its next mint nonce,
/// 128-191 how many identities it owns. No number can outgrow its 64 bits: each step costs a transaction.
type HolderWord is uint256;

using {primaryOf, nonceOf, balanceIn, withPrimary, withNextNonce, received, given} for HolderWord global;

uint256 constant NONCE_OFFSET = 64;
uint256 constant BALANCE_OFFSET = 128;

function primaryOf(HolderWord holder) pure returns (uint256) {
    return uint64(HolderWord.unwrap(holder));
}

function nonceOf(HolderWord holder) pure returns (uint256) {
    return uint64(HolderWord.unwrap(holder) >> NONCE_OFFSET);
}

function balanceIn(HolderWord holder) pure returns (uint256) {
    return HolderWord.unwrap(holder) >> BALANCE_OFFSET;
}

function withPrimary(HolderWord holder, uint256 agentId) pure returns (HolderWord) {
    return HolderWord.wrap((HolderWord.unwrap(holder) & ~uint256(type(uint64).max)) | agentId);
}

function withNextNonce(HolderWord holder) pure returns (HolderWord) {
    unchecked {
        return HolderWord.wrap(HolderWord.unwrap(holder) + (1 << NONCE_OFFSET));
    }
}

/// @dev One identity more. The first one becomes the primary.
function received(HolderWord holder, uint256 agentId) pure returns (HolderWord) {
    unchecked {
        HolderWord next = HolderWord.wrap(HolderWord.unwrap(holder) + (1 << BALANCE_OFFSET));
        return primaryOf(next) == 0 ? withPrimary(next, agentId) : next;
    }
}

/// @dev One identity less. It is no longer the primary.
function given(HolderWord holder, uint256 agentId) pure returns (HolderWord) {
    HolderWord next = HolderWord.wrap(HolderWord.unwrap(holder) - (1 << BALANCE_OFFSET));
    return primaryOf(next) == agentId ? withPrimary(next, 0) : next;
}
