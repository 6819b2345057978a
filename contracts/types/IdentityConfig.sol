// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignerConfig} from "./SignerConfig.sol";

/**
 * @dev The configuration slot of AgentIdentity.
 *
 * Layout, highest bits first:
 * 64 bits lastAgentId | 29 bits empty | 1 bit baseUriMoved | 162 bits SignerConfig
 */
type IdentityConfig is uint256;

using {lastAgentId, baseUriMoved, setLastAgentId, setBaseUriMoved, toSignerConfig} for IdentityConfig global;

uint256 constant BASE_URI_MOVED_BIT = 1 << 162;
uint256 constant LAST_AGENT_ID_OFFSET = 192;

function toIdentityConfig(SignerConfig config) pure returns (IdentityConfig) {
    return IdentityConfig.wrap(SignerConfig.unwrap(config));
}

function toSignerConfig(IdentityConfig config) pure returns (SignerConfig) {
    return SignerConfig.wrap(IdentityConfig.unwrap(config));
}

function lastAgentId(IdentityConfig config) pure returns (uint256) {
    return IdentityConfig.unwrap(config) >> LAST_AGENT_ID_OFFSET;
}

function baseUriMoved(IdentityConfig config) pure returns (bool) {
    return IdentityConfig.unwrap(config) & BASE_URI_MOVED_BIT != 0;
}

/// @dev `agentId` has at most 64 bits: each id costs a transaction.
function setLastAgentId(IdentityConfig config, uint256 agentId) pure returns (IdentityConfig) {
    uint256 rest = IdentityConfig.unwrap(config) & ((1 << LAST_AGENT_ID_OFFSET) - 1);
    return IdentityConfig.wrap(rest | (agentId << LAST_AGENT_ID_OFFSET));
}

function setBaseUriMoved(IdentityConfig config) pure returns (IdentityConfig) {
    return IdentityConfig.wrap(IdentityConfig.unwrap(config) | BASE_URI_MOVED_BIT);
}
