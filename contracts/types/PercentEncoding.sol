// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

bytes16 constant HEX_DIGITS = "0123456789ABCDEF";

/// @dev Text for the data part of a `data:` URI: every byte but letters, digits, `-`, `.`, `_` becomes `%XX` (RFC 3986,
/// section 2.1).
function percentEncode(bytes memory text) pure returns (string memory) {
    uint256 length = text.length;
    for (uint256 i = 0; i < text.length; ++i) if (!isUnreserved(text[i])) length += 2;
    bytes memory encoded = new bytes(length);
    uint256 next = 0;
    for (uint256 i = 0; i < text.length; ++i) {
        bytes1 char = text[i];
        if (isUnreserved(char)) {
            encoded[next++] = char;
        } else {
            encoded[next++] = "%";
            encoded[next++] = HEX_DIGITS[uint8(char) >> 4];
            encoded[next++] = HEX_DIGITS[uint8(char) & 0x0f];
        }
    }
    return string(encoded);
}

function isUnreserved(bytes1 char) pure returns (bool) {
    bytes1 lower = char | 0x20;
    if (lower >= "a" && lower <= "z") return true;
    if (char >= "0" && char <= "9") return true;
    return char == "-" || char == "." || char == "_";
}
