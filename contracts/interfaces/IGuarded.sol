// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Roles and pause
/// @notice The admin (a timelock or a Safe) raises power; the guardian only reduces it, and the admin can undo whatever
/// the guardian did. The admin role moves in two steps with a delay (OpenZeppelin `AccessControlDefaultAdminRules`).
interface IGuarded {
    /// @notice The contract is paused.
    error EnforcedPause();

    /// @notice Only the guardian and the admin may call this.
    /// @param caller Who called.
    error NotGuardian(address caller);

    /// @notice An address that must not be zero is zero.
    error ZeroAddress();

    /// @notice The contract was paused.
    /// @param by The guardian or the admin.
    event Paused(address indexed by);

    /// @notice The contract was unpaused.
    /// @param by The admin.
    event Unpaused(address indexed by);

    /// @notice The role that pauses, revokes signers, lowers limits, cancels sessions and annuls records.
    function GUARDIAN_ROLE() external view returns (bytes32);

    /// @notice True while the signed entry points (and payouts) are closed.
    function paused() external view returns (bool);

    /// @notice Closes the contract's signed entry points (and payouts) at once. Guardian or admin.
    function pause() external;

    /// @notice Opens them again. Admin only.
    function unpause() external;
}
