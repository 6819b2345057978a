// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev The cheat codes that these tests use; the test runner answers them at a fixed address.
// solhint-disable-next-line interface-starts-with-i
interface Vm {
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function getCode(string calldata artifact) external view returns (bytes memory);
    function warp(uint256 timestamp) external;
    function prank(address sender) external;
    function assume(bool condition) external pure;
    function writeLine(string calldata path, string calldata line) external;
    function expectPartialRevert(bytes4 selector) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// @dev Maps any number into `min..max`.
function bound(uint256 x, uint256 min, uint256 max) pure returns (uint256) {
    uint256 size = max - min;
    return size == type(uint256).max ? x : min + (x % (size + 1));
}
