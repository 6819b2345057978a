// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IGuarded} from "../interfaces/IGuarded.sol";

/// @title Roles and pause
/// @notice See `IGuarded`.
/// @dev The contract that inherits this keeps the pause flag in a slot that every call reads anyway.
abstract contract Guarded is IGuarded, AccessControlDefaultAdminRules {
    /// @inheritdoc IGuarded
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    modifier onlyGuardianOrAdmin() {
        _checkGuardianOrAdmin();
        _;
    }

    constructor(
        address admin,
        uint48 adminDelaySeconds,
        address guardian
    ) AccessControlDefaultAdminRules(adminDelaySeconds, admin) {
        if (guardian != address(0)) _grantRole(GUARDIAN_ROLE, guardian);
    }

    /// @inheritdoc IGuarded
    function pause() external onlyGuardianOrAdmin {
        if (paused()) return;
        _setPaused(true);
        emit Paused(msg.sender);
    }

    /// @inheritdoc IGuarded
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (!paused()) return;
        _setPaused(false);
        emit Unpaused(msg.sender);
    }

    /// @inheritdoc IGuarded
    function paused() public view virtual returns (bool);

    function _setPaused(bool value) internal virtual;

    function _checkGuardianOrAdmin() internal view {
        if (!hasRole(GUARDIAN_ROLE, msg.sender) && !hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) {
            revert NotGuardian(msg.sender);
        }
    }
}
