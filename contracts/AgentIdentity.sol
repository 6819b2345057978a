// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IAgentIdentity} from "./interfaces/IAgentIdentity.sol";
import {IERC8004IdentityRegistry} from "./interfaces/IERC8004IdentityRegistry.sol";
import {DigestUri} from "./base/DigestUri.sol";
import {Gate} from "./base/Gate.sol";
import {HolderWord} from "./base/HolderWord.sol";
import {SignedCalls} from "./base/SignedCalls.sol";

/// @title Identity of an agent
/// @dev Of the gate, the number is the highest id and the flag says that the base URI was moved into storage.
/// Approvals and transfers are OpenZeppelin's; owners and balances are kept here, since a wallet's balance, primary
/// identity and nonce share one slot: a mint fills three slots instead of four.
contract AgentIdentity is IAgentIdentity, IERC8004IdentityRegistry, IERC4906, ERC721, DigestUri, SignedCalls {
    /// @dev The owner at registration is the agent's wallet without a slot of its own.
    enum WalletState {
        Owner,
        Set,
        Cleared
    }

    struct AgentWallet {
        address wallet;
        WalletState state;
    }

    /// @inheritdoc IAgentIdentity
    bytes32 public constant MINT_IDENTITY_TYPEHASH = keccak256(
        "MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)"
    );
    /// @inheritdoc IAgentIdentity
    bytes32 public constant AGENT_WALLET_SET_TYPEHASH = keccak256(
        "AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)"
    );
    /// @inheritdoc IAgentIdentity
    uint256 public constant MAX_WALLET_DEADLINE_SECONDS = 5 minutes;

    string private constant AGENT_WALLET_KEY = "agentWallet";
    bytes4 private constant ERC4906_INTERFACE_ID = 0x49064906;

    mapping(uint256 agentId => address) private _owners;
    mapping(address wallet => HolderWord) private _holders;
    mapping(uint256 agentId => bytes32) private _digests;
    mapping(uint256 agentId => AgentWallet) private _agentWallets;
    mapping(uint256 agentId => string) private _ownURIs;
    mapping(uint256 agentId => mapping(string key => bytes)) private _metadata;
    string private _movedBase;

    /// @inheritdoc IAgentIdentity
    bool public openRegistration;

    constructor(
        Duties memory duties,
        string memory name_,
        string memory symbol_,
        string memory baseURI_
    ) ERC721(name_, symbol_) DigestUri(baseURI_) SignedCalls("AgentIdentity", duties) {
        emit BaseURISet(baseURI_);
    }

    /// @inheritdoc IAgentIdentity
    function mintIdentityWithSignature(
        address to,
        bytes32 digest,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 agentId) {
        if (msg.sender != to) revert NotWallet(msg.sender, to);
        HolderWord holder = _holders[to];
        Gate gate = _checkSigned(
            keccak256(abi.encode(MINT_IDENTITY_TYPEHASH, to, digest, holder.nonceOf(), deadline)),
            deadline,
            signature
        );
        agentId = _nextId(gate);
        _holders[to] = holder.withNextNonce().received(agentId);
        _digests[agentId] = digest;
        _create(to, agentId);
        emit Registered(agentId, _uriOf(digest, gate.hasFlag()), to);
        _emitWallet(agentId, to);
    }

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

    /// @inheritdoc IERC8004IdentityRegistry
    function register() external returns (uint256 agentId) {
        return _registerOpenly("");
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function register(string calldata agentURI) external returns (uint256 agentId) {
        return _registerOpenly(agentURI);
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function register(string calldata agentURI, MetadataEntry[] calldata metadata) external returns (uint256 agentId) {
        agentId = _registerOpenly(agentURI);
        for (uint256 i = 0; i < metadata.length; ++i) {
            _setMetadata(agentId, metadata[i].metadataKey, metadata[i].metadataValue);
        }
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function setAgentURI(uint256 agentId, string calldata newURI) external {
        _requireAuthorized(agentId);
        _ownURIs[agentId] = newURI;
        emit URIUpdated(agentId, newURI, msg.sender);
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
        // Both ways are tried: a delegated wallet (EIP-7702) has code and still signs as the key it is.
        if (!_isSignedBy(newWallet, false, digest, signature) && !_isSignedBy(newWallet, true, digest, signature)) {
            revert InvalidWalletSignature(newWallet);
        }
        _writeWallet(agentId, newWallet, WalletState.Set);
    }

    /// @inheritdoc IERC8004IdentityRegistry
    function unsetAgentWallet(uint256 agentId) external {
        _requireAuthorized(agentId);
        _writeWallet(agentId, address(0), WalletState.Cleared);
    }

    /// @inheritdoc IAgentIdentity
    function setOpenRegistration(bool open) external onlyGuardianOrAdmin {
        if (open) _checkRole(DEFAULT_ADMIN_ROLE);
        openRegistration = open;
        emit OpenRegistrationSet(open);
    }

    /// @inheritdoc IAgentIdentity
    function setBaseURI(string calldata newBaseURI) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _movedBase = newBaseURI;
        _gate = _gate.withFlag();
        emit BaseURISet(newBaseURI);
        emit BatchMetadataUpdate(1, _gate.numberOf());
    }

    /// @inheritdoc IAgentIdentity
    function mintNonces(address wallet) external view returns (uint256) {
        return _holders[wallet].nonceOf();
    }

    /// @inheritdoc IAgentIdentity
    function primaryIdentity(address wallet) external view returns (uint256) {
        return _holders[wallet].primaryOf();
    }

    /// @inheritdoc IAgentIdentity
    function metadataDigest(uint256 agentId) external view returns (bytes32) {
        _requireOwned(agentId);
        return _digests[agentId];
    }

    /// @inheritdoc IAgentIdentity
    function totalSupply() external view returns (uint256) {
        return _gate.numberOf();
    }

    /// @inheritdoc IAgentIdentity
    function baseURI() external view returns (string memory) {
        return _gate.hasFlag() ? _movedBase : _initialBase();
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

    /// @notice The owner's own URI, or base, digest and `.json`; empty for an open registration without a URI.
    function tokenURI(uint256 agentId) public view override returns (string memory) {
        _requireOwned(agentId);
        string memory own = _ownURIs[agentId];
        if (bytes(own).length != 0) return own;
        bytes32 digest = _digests[agentId];
        if (digest == 0) return "";
        return _uriOf(digest, _gate.hasFlag());
    }

    /// @inheritdoc IERC721
    function balanceOf(address wallet) public view override(ERC721, IERC721) returns (uint256) {
        if (wallet == address(0)) revert ERC721InvalidOwner(address(0));
        return _holders[wallet].balanceIn();
    }

    /// @inheritdoc IERC165
    function supportsInterface(
        bytes4 interfaceId
    ) public view override(ERC721, IERC165, AccessControlDefaultAdminRules) returns (bool) {
        return
            interfaceId == ERC4906_INTERFACE_ID ||
            interfaceId == type(IAgentIdentity).interfaceId ||
            interfaceId == type(IERC8004IdentityRegistry).interfaceId ||
            ERC721.supportsInterface(interfaceId) ||
            AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    /// @dev Transfers alone come here, since identities are made by `_create` and never burnt. A new owner must name the
    /// agent's wallet again, and no wallet acts as an identity it gave away.
    function _update(address to, uint256 agentId, address auth) internal override returns (address from) {
        from = _owners[agentId];
        if (auth != address(0)) _checkAuthorized(from, auth, agentId);
        _approve(address(0), agentId, address(0), false);
        _owners[agentId] = to;
        emit Transfer(from, to, agentId);
        _writeWallet(agentId, address(0), WalletState.Cleared);
        _move(from, to, agentId);
    }

    /// @inheritdoc ERC721
    function _ownerOf(uint256 agentId) internal view override returns (address) {
        return _owners[agentId];
    }

    /// @dev The holder's word is written by the caller, together with what else it changes.
    function _create(address to, uint256 agentId) private {
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

    function _registerOpenly(string memory agentURI) private returns (uint256 agentId) {
        if (!openRegistration) revert RegistrationRequiresSignature();
        Gate gate = _gate;
        if (gate.isPaused()) revert EnforcedPause();
        agentId = _nextId(gate);
        _holders[msg.sender] = _holders[msg.sender].received(agentId);
        if (bytes(agentURI).length != 0) _ownURIs[agentId] = agentURI;
        _create(msg.sender, agentId);
        emit Registered(agentId, agentURI, msg.sender);
        _emitWallet(agentId, msg.sender);
    }

    function _nextId(Gate gate) private returns (uint256 agentId) {
        agentId = gate.numberOf() + 1;
        _gate = gate.withNumber(agentId);
    }

    function _setMetadata(uint256 agentId, string calldata key, bytes calldata value) private {
        if (_isWalletKey(key)) revert ReservedMetadataKey(key);
        _metadata[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }

    function _writeWallet(uint256 agentId, address wallet, WalletState state) private {
        if (state == WalletState.Cleared && _agentWallets[agentId].state == WalletState.Cleared) return;
        _agentWallets[agentId] = AgentWallet({wallet: wallet, state: state});
        _emitWallet(agentId, wallet);
    }

    function _emitWallet(uint256 agentId, address wallet) private {
        emit MetadataSet(agentId, AGENT_WALLET_KEY, AGENT_WALLET_KEY, _walletBytes(wallet));
    }

    function _requireAuthorized(uint256 agentId) private view returns (address owner_) {
        owner_ = _requireOwned(agentId);
        _checkAuthorized(owner_, msg.sender, agentId);
    }

    function _uriOf(bytes32 digest, bool moved) private view returns (string memory) {
        return moved ? _digestUri(_movedBase, digest) : _initialDigestUri(digest);
    }

    function _walletOf(uint256 agentId) private view returns (address) {
        address owner_ = _requireOwned(agentId);
        AgentWallet memory stored = _agentWallets[agentId];
        return stored.state == WalletState.Owner ? owner_ : stored.wallet;
    }

    function _walletBytes(address wallet) private pure returns (bytes memory) {
        return wallet == address(0) ? bytes("") : abi.encodePacked(wallet);
    }

    function _isWalletKey(string calldata key) private pure returns (bool) {
        return keccak256(bytes(key)) == keccak256(bytes(AGENT_WALLET_KEY));
    }
}
