// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IAgentIdentity} from "../interfaces/IAgentIdentity.sol";
import {IERC8004IdentityRegistry} from "../interfaces/IERC8004IdentityRegistry.sol";
import {IdentityTokens} from "./IdentityTokens.sol";
import {SignedCalls} from "./SignedCalls.sol";

/// @title URI, metadata and wallet of an agent (ERC-8004)
/// @notice See `IERC8004IdentityRegistry`.
abstract contract AgentMetadata is IERC8004IdentityRegistry, IERC4906, IdentityTokens, SignedCalls {
    /// @dev The data beside an identity's owner. The owner at registration is the agent's wallet without a slot of its
    /// own.
    enum WalletState {
        Owner,
        Set,
        Cleared
    }

    /// @inheritdoc IAgentIdentity
    bytes32 public constant AGENT_WALLET_SET_TYPEHASH = keccak256(
        "AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)"
    );
    /// @inheritdoc IAgentIdentity
    uint256 public constant MAX_WALLET_DEADLINE_SECONDS = 5 minutes;

    bytes4 private constant ERC4906_INTERFACE_ID = 0x49064906;
    string private constant AGENT_WALLET_KEY = "agentWallet";

    mapping(uint256 agentId => string) internal _ownURIs;
    mapping(uint256 agentId => address) private _agentWallets;
    mapping(uint256 agentId => mapping(string key => bytes)) private _metadata;

    /// @inheritdoc IERC8004IdentityRegistry
    function setAgentURI(uint256 agentId, string calldata newURI) external {
        _requireAuthorized(agentId);
        _ownURIs[agentId] = newURI;
        emit URIUpdated(agentId, tokenURI(agentId), msg.sender);
        emit MetadataUpdate(agentId);
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function setMetadata(uint256 agentId, string calldata metadataKey, bytes calldata metadataValue) external {
        _requireAuthorized(agentId);
        _setMetadata(agentId, metadataKey, metadataValue);
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature) external {
        address owner_ = _requireAuthorized(agentId);
        if (newWallet == address(0)) revert ZeroAddress();
        _checkDeadline(deadline, MAX_WALLET_DEADLINE_SECONDS);
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(AGENT_WALLET_SET_TYPEHASH, agentId, newWallet, owner_, deadline))
        );
        if (!_isSignedByWallet(newWallet, digest, signature)) revert InvalidWalletSignature(newWallet);
        _agentWallets[agentId] = newWallet;
        _setTokenData(agentId, uint96(WalletState.Set));
        _emitWallet(agentId, newWallet);
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function unsetAgentWallet(uint256 agentId) external {
        _requireAuthorized(agentId);
        _clearWallet(agentId);
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function getMetadata(uint256 agentId, string calldata metadataKey) external view returns (bytes memory) {
        if (!_isWalletKey(metadataKey)) return _metadata[agentId][metadataKey];
        return _walletBytes(_walletOf(agentId));
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function getAgentWallet(uint256 agentId) external view returns (address) {
        return _walletOf(agentId);
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool) {
        return _isAuthorized(_requireOwned(agentId), spender, agentId);
    }

    /// @inheritdoc IERC165
    function supportsInterface(
        bytes4 interfaceId
    ) public view override(ERC721, IERC165, AccessControlDefaultAdminRules) returns (bool) {
        return
            interfaceId == type(IAgentIdentity).interfaceId ||
            interfaceId == type(IERC8004IdentityRegistry).interfaceId ||
            interfaceId == ERC4906_INTERFACE_ID ||
            ERC721.supportsInterface(interfaceId) ||
            AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    /// @dev A new owner must name the agent's wallet again.
    function _update(address to, uint256 agentId, address auth) internal override returns (address from) {
        from = super._update(to, agentId, auth);
        if (from != address(0) && to != address(0)) _clearWallet(agentId);
    }

    function _setMetadata(uint256 agentId, string calldata key, bytes calldata value) internal {
        if (_isWalletKey(key)) revert ReservedMetadataKey(key);
        _metadata[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }

    function _emitWallet(uint256 agentId, address wallet) internal {
        emit MetadataSet(agentId, AGENT_WALLET_KEY, AGENT_WALLET_KEY, _walletBytes(wallet));
    }

    function _clearWallet(uint256 agentId) private {
        if (_tokenData(agentId) == uint96(WalletState.Cleared)) return;
        _setTokenData(agentId, uint96(WalletState.Cleared));
        _emitWallet(agentId, address(0));
    }

    function _requireAuthorized(uint256 agentId) private view returns (address owner_) {
        owner_ = _requireOwned(agentId);
        _checkAuthorized(owner_, msg.sender, agentId);
    }

    function _walletOf(uint256 agentId) private view returns (address) {
        address owner_ = _requireOwned(agentId);
        uint96 state = _tokenData(agentId);
        if (state == uint96(WalletState.Owner)) return owner_;
        return state == uint96(WalletState.Set) ? _agentWallets[agentId] : address(0);
    }

    function _walletBytes(address wallet) private pure returns (bytes memory) {
        return wallet == address(0) ? bytes("") : abi.encodePacked(wallet);
    }

    function _isWalletKey(string calldata key) private pure returns (bool) {
        return keccak256(bytes(key)) == keccak256(bytes(AGENT_WALLET_KEY));
    }
}
