// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {TokenSlot} from "../types/TokenSlot.sol";

/// @title ERC-721 whose tokens keep 96 bits of data in the slot of their owner
/// @notice Approvals, transfers and their checks are OpenZeppelin's.
/// @dev Owners and balances are kept here, so OpenZeppelin's own `_owners` and `_balances` stay empty. `_update` is the one
/// place where they change, for mints, transfers and burns; data travels with a transfer and ends with a burn.
abstract contract OwnerSlotERC721 is ERC721 {
    mapping(uint256 tokenId => TokenSlot) private _tokens;

    /// @notice Balances change together with owners, in `_update` only: `_increaseBalance` of OpenZeppelin would write
    /// balances that are never read.
    error BalancesFollowOwners();

    /// @inheritdoc ERC721
    function balanceOf(address wallet) public view override returns (uint256) {
        if (wallet == address(0)) revert ERC721InvalidOwner(address(0));
        return _balanceOf(wallet);
    }

    /// @dev OpenZeppelin's `_update`, over the slots of this contract.
    function _update(address to, uint256 tokenId, address auth) internal virtual override returns (address from) {
        TokenSlot token = _tokens[tokenId];
        from = token.owner();
        if (auth != address(0)) _checkAuthorized(from, auth, tokenId);
        if (from != address(0)) _approve(address(0), tokenId, address(0), false);
        _tokens[tokenId] = to == address(0) ? TokenSlot.wrap(0) : token.setOwner(to);
        _moveBalance(from, to, tokenId);
        emit Transfer(from, to, tokenId);
    }

    function _ownerOf(uint256 tokenId) internal view override returns (address) {
        return _tokens[tokenId].owner();
    }

    function _increaseBalance(address, uint128) internal pure override {
        revert BalancesFollowOwners();
    }

    /// @dev Takes one token from `from` and gives it to `to`; zero addresses hold none. Both may be the same wallet.
    function _moveBalance(address from, address to, uint256 tokenId) internal virtual;

    function _balanceOf(address wallet) internal view virtual returns (uint256);

    function _tokenData(uint256 tokenId) internal view returns (uint96) {
        return _tokens[tokenId].data();
    }

    function _setTokenData(uint256 tokenId, uint96 data) internal {
        _tokens[tokenId] = _tokens[tokenId].setData(data);
    }
}
