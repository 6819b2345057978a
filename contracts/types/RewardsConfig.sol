// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignerConfig} from "./SignerConfig.sol";

/**
 * @dev The configuration slot of RewardsV2.
 *
 * Layout, highest bits first:
 * 64 bits maxScorePerSession | 30 bits empty | 162 bits SignerConfig
 */
type RewardsConfig is uint256;

using {maxScorePerSession, setMaxScorePerSession, toSignerConfig} for RewardsConfig global;

uint256 constant MAX_SCORE_OFFSET = 192;

function toRewardsConfig(SignerConfig config) pure returns (RewardsConfig) {
    return RewardsConfig.wrap(SignerConfig.unwrap(config));
}

function toSignerConfig(RewardsConfig config) pure returns (SignerConfig) {
    return SignerConfig.wrap(RewardsConfig.unwrap(config));
}

function maxScorePerSession(RewardsConfig config) pure returns (uint256) {
    return RewardsConfig.unwrap(config) >> MAX_SCORE_OFFSET;
}

/// @dev `score` has at most 64 bits: the caller has checked it.
function setMaxScorePerSession(RewardsConfig config, uint256 score) pure returns (RewardsConfig) {
    uint256 rest = RewardsConfig.unwrap(config) & ((1 << MAX_SCORE_OFFSET) - 1);
    return RewardsConfig.wrap(rest | (score << MAX_SCORE_OFFSET));
}
