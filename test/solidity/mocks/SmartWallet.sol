// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A contract wallet as tests need it
/// @dev Signs by ERC-1271 as its owner does, sends what the owner wants, and knows nothing of received tokens: a safe
/// mint to it would revert. Also what an EIP-7702 account delegates to.
contract SmartWallet is IERC1271 {
    address public immutable keyHolder;

    error NotKeyHolder(address caller);
    error CallFailed(bytes reason);

    constructor(address keyHolder_) {
        keyHolder = keyHolder_;
    }

    receive() external payable {}

    function execute(address to, bytes calldata data) external returns (bytes memory result) {
        // A delegated account calls itself.
        if (msg.sender != keyHolder && msg.sender != address(this)) revert NotKeyHolder(msg.sender);
        bool ok;
        // solhint-disable-next-line avoid-low-level-calls
        (ok, result) = to.call(data);
        if (!ok) revert CallFailed(result);
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address recovered, , ) = ECDSA.tryRecoverCalldata(hash, signature);
        return recovered == keyHolder ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
