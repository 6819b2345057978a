// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {vm} from "./Vm.sol";

/// @dev Tells the runner which contract it may call at random.
abstract contract Invariant {
    using Strings for uint256;

    /// @dev One line for each run; `npm run lab -- solidity-tests` reads them.
    string private constant REPORT = "cache/invariant-runs.txt";

    address private _target;

    function targetContract(address target) internal {
        _target = target;
    }

    /// @dev Creates a handler from its artifact: `new` would carry its code inside the test, which then is too large.
    function createHandler(string memory artifact) internal returns (address handler) {
        bytes memory code = vm.getCode(artifact);
        assembly ("memory-safe") {
            handler := create(0, add(code, 0x20), mload(code))
        }
        assert(handler != address(0));
    }

    /// @dev Reports how often a run did what its invariants are about: a run that never did it proves nothing.
    function reportRun(string memory action, uint256 count) internal {
        vm.writeLine(REPORT, string.concat(action, " ", count.toString()));
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = _target;
    }
}
