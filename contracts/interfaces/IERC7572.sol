// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Contract-level metadata (ERC-7572)
/// @notice A marketplace reads name, symbol and picture of the whole collection here.
interface IERC7572 {
    /// @notice `contractURI()` changed.
    event ContractURIUpdated();

    /// @notice URI of the collection's JSON.
    function contractURI() external view returns (string memory);
}
