// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Reasons why a payout is not ready
/// @notice Bits of the second value of `IRewardsV2.readiness`, for contracts that call it. Zero: ready.
library PayoutReasons {
    /// @notice There is nothing to pay.
    uint256 internal constant SCOREBANK_EMPTY = 1 << 0;
    /// @notice The scorebank is below `minScore`.
    uint256 internal constant BELOW_MINIMUM = 1 << 1;
    /// @notice Less than `payoutCooldown` has passed since the first snapshot or the last payout.
    uint256 internal constant COOLDOWN_ACTIVE = 1 << 2;
    /// @notice The day's cap leaves less than `minScore`.
    uint256 internal constant DAILY_CAP = 1 << 3;
    /// @notice The week's cap leaves less than `minScore`.
    uint256 internal constant WEEKLY_CAP = 1 << 4;
    /// @notice The contract holds fewer tokens than the payout needs.
    uint256 internal constant FLOAT_EMPTY = 1 << 5;
    /// @notice The contract is paused.
    uint256 internal constant PAUSED = 1 << 6;
    /// @notice The wallet has no primary identity: it mints one, or chooses one it owns with `setPrimaryIdentity`.
    uint256 internal constant IDENTITY_REQUIRED = 1 << 7;
    /// @notice The identity has been the wallet's primary one for less than `payoutCooldown`.
    uint256 internal constant IDENTITY_TOO_NEW = 1 << 8;
}
