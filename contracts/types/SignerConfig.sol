// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @dev The slot that every signed call reads: one read answers who signs and whether the contract is paused.
 *
 * Layout, highest bits first:
 * 94 bits for the contract | 1 bit paused | 1 bit signerIsContract | 160 bits signer
 *
 * A contract that needs the upper bits names them in a type of its own (IdentityConfig, RewardsConfig).
 */
type SignerConfig is uint256;

using {signer, signerIsContract, paused, setSigner, setPaused} for SignerConfig global;

uint256 constant SIGNER_IS_CONTRACT_BIT = 1 << 160;
uint256 constant PAUSED_BIT = 1 << 161;
uint256 constant SIGNER_CONFIG_BITS = 162;

function signer(SignerConfig config) pure returns (address) {
    return address(uint160(SignerConfig.unwrap(config)));
}

function signerIsContract(SignerConfig config) pure returns (bool) {
    return SignerConfig.unwrap(config) & SIGNER_IS_CONTRACT_BIT != 0;
}

function paused(SignerConfig config) pure returns (bool) {
    return SignerConfig.unwrap(config) & PAUSED_BIT != 0;
}

function setSigner(SignerConfig config, address account, bool isContract) pure returns (SignerConfig) {
    uint256 rest = SignerConfig.unwrap(config) & ~(SIGNER_IS_CONTRACT_BIT | type(uint160).max);
    return SignerConfig.wrap(rest | uint160(account) | (isContract ? SIGNER_IS_CONTRACT_BIT : 0));
}

function setPaused(SignerConfig config, bool value) pure returns (SignerConfig) {
    uint256 rest = SignerConfig.unwrap(config) & ~PAUSED_BIT;
    return SignerConfig.wrap(value ? rest | PAUSED_BIT : rest);
}
