// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Roles and pause
/// @notice The guardian can only reduce what the contract allows. The admin (a timelock or a Safe) can raise it again, and
/// so undo every act of the guardian. The admin role moves in two steps with a delay (OpenZeppelin
/// `AccessControlDefaultAdminRules`).
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

    /// @notice The role that pauses, revokes signers, lowers limits, cancels sessions, voids points and annuls records.
    function GUARDIAN_ROLE() external view returns (bytes32);

    /// @notice True while functions that take a signature of the service (and payouts) revert.
    function paused() external view returns (bool);

    /// @notice Makes functions that take a signature of the service (and payouts) revert from this block on. Guardian or admin.
    /// Does nothing if the contract is already paused.
    function pause() external;

    /// @notice Ends the pause, if any. Admin only.
    function unpause() external;
}
