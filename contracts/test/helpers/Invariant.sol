// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Tells the runner which contract it may call at random.
abstract contract Invariant {
    address private _target;

    function targetContract(address target) internal {
        _target = target;
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = _target;
    }
}
