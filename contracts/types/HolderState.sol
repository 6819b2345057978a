// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @dev What AgentIdentity keeps of a wallet.
 *
 * Layout, highest bits first:
 * 24 bits empty | 64 bits balance | 64 bits mintNonce | 40 bits primarySince | 64 bits primaryId
 *
 * Ids, nonces and balances cannot outgrow 64 bits: each step costs a transaction.
 */
type HolderState is uint256;

using {
    primaryId,
    primarySince,
    mintNonce,
    balance,
    setPrimary,
    incrementNonce,
    incrementBalance,
    decrementBalance
} for HolderState global;

uint256 constant PRIMARY_SINCE_OFFSET = 64;
uint256 constant MINT_NONCE_OFFSET = 104;
uint256 constant BALANCE_OFFSET = 168;
uint256 constant PRIMARY_MASK = type(uint104).max;

function primaryId(HolderState holder) pure returns (uint256) {
    return uint64(HolderState.unwrap(holder));
}

function primarySince(HolderState holder) pure returns (uint256) {
    return uint40(HolderState.unwrap(holder) >> PRIMARY_SINCE_OFFSET);
}

function mintNonce(HolderState holder) pure returns (uint256) {
    return uint64(HolderState.unwrap(holder) >> MINT_NONCE_OFFSET);
}

function balance(HolderState holder) pure returns (uint256) {
    return uint64(HolderState.unwrap(holder) >> BALANCE_OFFSET);
}

/// @dev `agentId` has at most 64 bits, `since` 40. Both are zero for none.
function setPrimary(HolderState holder, uint256 agentId, uint256 since) pure returns (HolderState) {
    uint256 rest = HolderState.unwrap(holder) & ~PRIMARY_MASK;
    return HolderState.wrap(rest | agentId | (since << PRIMARY_SINCE_OFFSET));
}

function incrementNonce(HolderState holder) pure returns (HolderState) {
    unchecked {
        return HolderState.wrap(HolderState.unwrap(holder) + (1 << MINT_NONCE_OFFSET));
    }
}

function incrementBalance(HolderState holder) pure returns (HolderState) {
    unchecked {
        return HolderState.wrap(HolderState.unwrap(holder) + (1 << BALANCE_OFFSET));
    }
}

/// @dev The balance is above zero: the wallet gives away an identity that it owns.
function decrementBalance(HolderState holder) pure returns (HolderState) {
    unchecked {
        return HolderState.wrap(HolderState.unwrap(holder) - (1 << BALANCE_OFFSET));
    }
}
