// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev What a wallet is to the identities, in one word: bits 0-127 its primary identity, 128-255 its next mint nonce.
/// Neither number can outgrow its half: each step costs a transaction.
type HolderWord is uint256;

using {primaryOf, nonceOf, withPrimary, withNextNonce, minted} for HolderWord global;

uint256 constant NONCE_OFFSET = 128;

function primaryOf(HolderWord holder) pure returns (uint256) {
    return uint128(HolderWord.unwrap(holder));
}

function nonceOf(HolderWord holder) pure returns (uint256) {
    return HolderWord.unwrap(holder) >> NONCE_OFFSET;
}

function withPrimary(HolderWord holder, uint256 agentId) pure returns (HolderWord) {
    return HolderWord.wrap((HolderWord.unwrap(holder) & ~uint256(type(uint128).max)) | agentId);
}

function withNextNonce(HolderWord holder) pure returns (HolderWord) {
    unchecked {
        return HolderWord.wrap(HolderWord.unwrap(holder) + (1 << NONCE_OFFSET));
    }
}

/// @dev Uses the nonce up; the first identity of a wallet becomes its primary one.
function minted(HolderWord holder, uint256 agentId) pure returns (HolderWord) {
    HolderWord next = withNextNonce(holder);
    return primaryOf(next) == 0 ? withPrimary(next, agentId) : next;
}
