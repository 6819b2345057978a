// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title URIs made of a base, a digest in hex and `.json`
/// @notice `<base><64 hex digits>.json`.
/// @dev The first base is kept in the code: a string in storage costs a cold read per word at every mint.
/// Assembly only assembles bytes: it never touches storage.
abstract contract DigestUri {
    uint256 private constant MAX_BASE_BYTES = 96;
    uint256 private constant TAIL_BYTES = 64 + 5;

    uint256 private immutable BASE_LENGTH;
    bytes32 private immutable BASE_0;
    bytes32 private immutable BASE_1;
    bytes32 private immutable BASE_2;

    /// @dev The base does not fit into three words of code.
    error BaseTooLong(uint256 length, uint256 max);

    constructor(string memory base) {
        uint256 length = bytes(base).length;
        if (length > MAX_BASE_BYTES) revert BaseTooLong(length, MAX_BASE_BYTES);
        bytes32 word0;
        bytes32 word1;
        bytes32 word2;
        assembly ("memory-safe") {
            if gt(length, 0) {
                word0 := mload(add(base, 0x20))
            }
            if gt(length, 32) {
                word1 := mload(add(base, 0x40))
            }
            if gt(length, 64) {
                word2 := mload(add(base, 0x60))
            }
        }
        (BASE_LENGTH, BASE_0, BASE_1, BASE_2) = (length, word0, word1, word2);
    }

    function _initialBase() internal view returns (string memory base) {
        (uint256 length, bytes32 word0, bytes32 word1, bytes32 word2) = (BASE_LENGTH, BASE_0, BASE_1, BASE_2);
        assembly ("memory-safe") {
            base := mload(0x40)
            mstore(base, length)
            mstore(add(base, 0x20), word0)
            mstore(add(base, 0x40), word1)
            mstore(add(base, 0x60), word2)
            mstore(0x40, add(base, 0x80))
        }
    }

    /// @dev The URI of a digest, given in hex, under the base in the code. Words are written left to right: each write covers what
    /// the one before it left behind its end.
    function _initialDigestUri(bytes32 high, bytes32 low) internal view returns (string memory uri) {
        (uint256 length, bytes32 word0, bytes32 word1, bytes32 word2) = (BASE_LENGTH, BASE_0, BASE_1, BASE_2);
        assembly ("memory-safe") {
            uri := mload(0x40)
            mstore(uri, add(length, TAIL_BYTES))
            mstore(add(uri, 0x20), word0)
            mstore(add(uri, 0x40), word1)
            mstore(add(uri, 0x60), word2)
            let tail := add(add(uri, 0x20), length)
            mstore(tail, high)
            mstore(add(tail, 0x20), low)
            mstore(add(tail, 0x40), ".json")
            mstore(0x40, and(add(tail, 0x7f), not(0x1f)))
        }
    }

    /// @dev The same under another base.
    function _digestUri(string memory base, bytes32 high, bytes32 low) internal pure returns (string memory) {
        return string.concat(base, string(bytes.concat(high, low)), ".json");
    }

    /// @dev The 64 lower-case hex digits of a word, without a loop.
    function _hexOf(bytes32 value) internal pure returns (bytes32 high, bytes32 low) {
        high = _hexOfHalf(uint256(value) >> 128);
        low = _hexOfHalf(uint256(value) & type(uint128).max);
    }

    /// @dev Spreads 32 nibbles over 32 bytes by halving the distance, then adds what makes each one a digit.
    function _hexOfHalf(uint256 x) private pure returns (bytes32) {
        unchecked {
            x = (x | (x << 64)) & 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;
            x = (x | (x << 32)) & 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
            x = (x | (x << 16)) & 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
            x = (x | (x << 8)) & 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
            x = (x | (x << 4)) & 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f;
            // 1 in every byte that holds 10 or more.
            uint256 letters =
                ((x + 0x0606060606060606060606060606060606060606060606060606060606060606) >> 4) &
                    0x0101010101010101010101010101010101010101010101010101010101010101;
            return bytes32(x + 0x3030303030303030303030303030303030303030303030303030303030303030 + letters * 39);
        }
    }
}
