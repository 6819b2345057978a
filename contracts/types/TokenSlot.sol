// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @dev A token's owner, and 96 bits that the contract gives a meaning.
 *
 * Layout, highest bits first:
 * 96 bits data | 160 bits owner
 */
type TokenSlot is uint256;

using {owner, data, setOwner, setData} for TokenSlot global;

uint256 constant DATA_OFFSET = 160;

function owner(TokenSlot token) pure returns (address) {
    return address(uint160(TokenSlot.unwrap(token)));
}

function data(TokenSlot token) pure returns (uint96) {
    return uint96(TokenSlot.unwrap(token) >> DATA_OFFSET);
}

function setOwner(TokenSlot token, address account) pure returns (TokenSlot) {
    uint256 rest = TokenSlot.unwrap(token) & ~uint256(type(uint160).max);
    return TokenSlot.wrap(rest | uint160(account));
}

function setData(TokenSlot token, uint96 value) pure returns (TokenSlot) {
    return TokenSlot.wrap(uint160(TokenSlot.unwrap(token)) | (uint256(value) << DATA_OFFSET));
}
