// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Administration of a collection's metadata and royalty
/// @notice What the admin may change of ERC-7572 and ERC-2981.
interface ICollection {
    /// @notice The royalty is above the bound.
    /// @param basisPoints What was asked for.
    /// @param max `MAX_ROYALTY_BASIS_POINTS`.
    error RoyaltyTooHigh(uint256 basisPoints, uint256 max);

    /// @notice The royalty of every token changed.
    /// @param receiver Who receives it.
    /// @param basisPoints Share of the price, in 1/10,000.
    event RoyaltySet(address indexed receiver, uint96 basisPoints);

    /// @notice The highest royalty, in 1/10,000 of the price: 10 %.
    function MAX_ROYALTY_BASIS_POINTS() external view returns (uint256);

    /// @notice Replaces the collection's metadata; empty: the one made from name and symbol. Admin only.
    /// @param newContractURI URI of a JSON document (ERC-7572).
    function setContractURI(string calldata newContractURI) external;

    /// @notice Sets the royalty of every token (ERC-2981). Admin only.
    /// @param receiver Who receives it.
    /// @param basisPoints Share of the price, in 1/10,000; at most `MAX_ROYALTY_BASIS_POINTS`.
    function setRoyalty(address receiver, uint96 basisPoints) external;
}
