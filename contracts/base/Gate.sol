// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev All that a signed call needs to know, in one word, read once and never unpacked into memory:
/// bits 0-159 signer, 160 the signer is a contract, 161 paused, 162 a flag and 192-255 a number of the contract on top.
type Gate is uint256;

using {
    signerOf,
    signerIsContract,
    isPaused,
    hasFlag,
    numberOf,
    withSigner,
    withPaused,
    withFlag,
    withNumber
} for Gate global;

uint256 constant GATE_CONTRACT = 1 << 160;
uint256 constant GATE_PAUSED = 1 << 161;
uint256 constant GATE_FLAG = 1 << 162;
uint256 constant GATE_NUMBER_OFFSET = 192;

function signerOf(Gate gate) pure returns (address) {
    return address(uint160(Gate.unwrap(gate)));
}

function signerIsContract(Gate gate) pure returns (bool) {
    return Gate.unwrap(gate) & GATE_CONTRACT != 0;
}

function isPaused(Gate gate) pure returns (bool) {
    return Gate.unwrap(gate) & GATE_PAUSED != 0;
}

function hasFlag(Gate gate) pure returns (bool) {
    return Gate.unwrap(gate) & GATE_FLAG != 0;
}

function numberOf(Gate gate) pure returns (uint256) {
    return Gate.unwrap(gate) >> GATE_NUMBER_OFFSET;
}

function withSigner(Gate gate, address signer, bool isContract) pure returns (Gate) {
    uint256 rest = Gate.unwrap(gate) & ~(GATE_CONTRACT | type(uint160).max);
    return Gate.wrap(rest | uint160(signer) | (isContract ? GATE_CONTRACT : 0));
}

function withPaused(Gate gate, bool value) pure returns (Gate) {
    uint256 rest = Gate.unwrap(gate) & ~GATE_PAUSED;
    return Gate.wrap(value ? rest | GATE_PAUSED : rest);
}

function withFlag(Gate gate) pure returns (Gate) {
    return Gate.wrap(Gate.unwrap(gate) | GATE_FLAG);
}

/// @dev `number` has at most 64 bits.
function withNumber(Gate gate, uint256 number) pure returns (Gate) {
    return Gate.wrap((Gate.unwrap(gate) & ((1 << GATE_NUMBER_OFFSET) - 1)) | (number << GATE_NUMBER_OFFSET));
}
