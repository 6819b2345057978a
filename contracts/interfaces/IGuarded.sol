// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Roles and pause
/// @notice The admin (a timelock or a Safe) raises power, the guardian only reduces it.
/// The admin is handed over in two steps with a delay (OpenZeppelin `AccessControlDefaultAdminRules`).
interface IGuarded {
    /// @notice Raised by every entry point that `pause` closes.
    error EnforcedPause();

    /// @notice The caller is neither guardian nor admin.
    error NotGuardian(address caller);

    /// @notice An address that must not be zero is zero.
    error ZeroAddress();

    event Paused(address indexed by);
    event Unpaused(address indexed by);

    /// @notice The role that pauses, revokes signers and lowers caps.
    function GUARDIAN_ROLE() external view returns (bytes32);

    /// @notice True while the signed entry points (and payouts) are closed.
    function paused() external view returns (bool);

    /// @notice Closes the contract's signed entry points (and payouts) at once. Guardian or admin.
    function pause() external;

    /// @notice Opens them again. Admin only.
    function unpause() external;
}
