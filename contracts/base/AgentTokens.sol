// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IAgentIdentity} from "../interfaces/IAgentIdentity.sol";
import {HolderWord} from "./HolderWord.sol";

/// @title Who owns which identity, and which one a wallet acts as
/// @dev Approvals and transfers are OpenZeppelin's; owners and balances are kept here, since a wallet's balance, primary
/// identity and nonce share one slot: a mint fills three slots instead of four.
abstract contract AgentTokens is IAgentIdentity, IERC4906, ERC721 {
    mapping(uint256 agentId => address) private _owners;
    mapping(address wallet => HolderWord) internal _holders;

    /// @inheritdoc IAgentIdentity
    function cancelMintNonce() external {
        HolderWord holder = _holders[msg.sender].withNextNonce();
        _holders[msg.sender] = holder;
        emit MintNonceCancelled(msg.sender, holder.nonceOf());
    }

    /// @inheritdoc IAgentIdentity
    function setPrimaryIdentity(uint256 agentId) external {
        if (_owners[agentId] != msg.sender) revert NotIdentityOwner(msg.sender, agentId);
        _holders[msg.sender] = _holders[msg.sender].withPrimary(agentId);
        emit PrimaryIdentitySet(msg.sender, agentId);
    }

    /// @inheritdoc IAgentIdentity
    function mintNonces(address wallet) external view returns (uint256) {
        return _holders[wallet].nonceOf();
    }

    /// @inheritdoc IAgentIdentity
    function primaryIdentity(address wallet) external view returns (uint256) {
        return _holders[wallet].primaryOf();
    }

    /// @inheritdoc IERC721
    function balanceOf(address wallet) public view override(ERC721, IERC721) returns (uint256) {
        if (wallet == address(0)) revert ERC721InvalidOwner(address(0));
        return _holders[wallet].balanceIn();
    }

    /// @dev Transfers alone come here, since identities are made by `_create` and never burnt. No wallet acts as an
    /// identity it gave away.
    function _update(address to, uint256 agentId, address auth) internal virtual override returns (address from) {
        from = _owners[agentId];
        if (auth != address(0)) _checkAuthorized(from, auth, agentId);
        _approve(address(0), agentId, address(0), false);
        _owners[agentId] = to;
        emit Transfer(from, to, agentId);
        _move(from, to, agentId);
    }

    /// @inheritdoc ERC721
    function _ownerOf(uint256 agentId) internal view override returns (address) {
        return _owners[agentId];
    }

    /// @dev The holder's word is written by the caller, together with what else it changes.
    function _create(address to, uint256 agentId) internal {
        _owners[agentId] = to;
        emit Transfer(address(0), to, agentId);
    }

    function _move(address from, address to, uint256 agentId) private {
        HolderWord giver = _holders[from];
        HolderWord poorer = giver.given(agentId);
        _holders[from] = poorer;
        // Read after the write: giver and taker may be the same wallet.
        HolderWord taker = _holders[to];
        HolderWord richer = taker.received(agentId);
        _holders[to] = richer;
        if (from == to) return;
        if (poorer.primaryOf() != giver.primaryOf()) emit PrimaryIdentitySet(from, 0);
        if (richer.primaryOf() != taker.primaryOf()) emit PrimaryIdentitySet(to, agentId);
    }
}
