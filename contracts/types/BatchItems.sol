// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsV2} from "../interfaces/IRewardsV2.sol";

/**
 * @dev EIP-712's `encodeData` of `Item[] items`: the hash of the items' struct hashes, one after the other.
 *
 * An item is three static words (96 bytes) of calldata, which are copied behind the type hash in one step. Assembly writes
 * memory only: the struct above the free memory pointer, its hash into `hashes`.
 */
function hashItems(IRewardsV2.Item[] calldata items, bytes32 itemTypeHash) pure returns (bytes32 itemsHash) {
    bytes32[] memory hashes = new bytes32[](items.length);
    for (uint256 i = 0; i < items.length; ++i) {
        assembly ("memory-safe") {
            let encoded := mload(0x40)
            mstore(encoded, itemTypeHash)
            calldatacopy(add(encoded, 0x20), add(items.offset, mul(i, 0x60)), 0x60)
            mstore(add(add(hashes, 0x20), shl(5, i)), keccak256(encoded, 0x80))
        }
    }
    assembly ("memory-safe") {
        itemsHash := keccak256(add(hashes, 0x20), shl(5, mload(hashes)))
    }
}
