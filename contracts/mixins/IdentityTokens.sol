// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAgentIdentity} from "../interfaces/IAgentIdentity.sol";
import {HolderState} from "../types/HolderState.sol";
import {OwnerSlotERC721} from "./OwnerSlotERC721.sol";

/// @title Owners of identities, and the primary identity of each wallet
/// @notice See `IAgentIdentity`.
/// @dev A wallet's balance, primary identity and nonce share one slot: a mint fills three slots instead of five.
abstract contract IdentityTokens is IAgentIdentity, OwnerSlotERC721 {
    mapping(address wallet => HolderState) internal _holders;

    /// @inheritdoc IAgentIdentity
    function cancelMintNonce() external {
        HolderState holder = _holders[msg.sender].incrementNonce();
        _holders[msg.sender] = holder;
        emit MintNonceCancelled(msg.sender, holder.mintNonce());
    }

    /// @inheritdoc IAgentIdentity
    function setPrimaryIdentity(uint256 agentId) external {
        if (_ownerOf(agentId) != msg.sender) revert NotIdentityOwner(msg.sender, agentId);
        HolderState holder = _holders[msg.sender];
        if (holder.primaryId() == agentId) return;
        _holders[msg.sender] = holder.setPrimary(agentId, block.timestamp);
        emit PrimaryIdentitySet(msg.sender, agentId);
    }

    /// @inheritdoc IAgentIdentity
    function mintNonces(address wallet) external view returns (uint256) {
        return _holders[wallet].mintNonce();
    }

    /// @inheritdoc IAgentIdentity
    function primaryIdentity(address wallet) external view returns (uint256) {
        return _holders[wallet].primaryId();
    }

    /// @inheritdoc IAgentIdentity
    function primarySince(address wallet) external view returns (uint256) {
        return _holders[wallet].primarySince();
    }

    /// @inheritdoc IAgentIdentity
    function primary(address wallet) external view returns (uint256 agentId, uint256 since) {
        HolderState holder = _holders[wallet];
        return (holder.primaryId(), holder.primarySince());
    }

    function _balanceOf(address wallet) internal view override returns (uint256) {
        return _holders[wallet].balance();
    }

    /// @dev See OwnerSlotERC721.
    function _moveBalance(address from, address to, uint256 agentId) internal override {
        if (from == to) return;
        if (from != address(0)) {
            HolderState giver = _holders[from].decrementBalance();
            if (giver.primaryId() == agentId) {
                giver = giver.setPrimary(0, 0);
                emit PrimaryIdentitySet(from, 0);
            }
            _holders[from] = giver;
        }
        if (to != address(0)) {
            HolderState taker = _holders[to].incrementBalance();
            if (from == address(0) && taker.primaryId() == 0) taker = taker.setPrimary(agentId, block.timestamp);
            _holders[to] = taker;
        }
    }
}
