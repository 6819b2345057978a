// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IAgentIdentity} from "./interfaces/IAgentIdentity.sol";
import {IERC8004IdentityRegistry} from "./interfaces/IERC8004IdentityRegistry.sol";
import {AgentMetadata} from "./base/AgentMetadata.sol";
import {DigestUri} from "./base/DigestUri.sol";
import {Gate} from "./base/Gate.sol";
import {HolderWord} from "./base/HolderWord.sol";
import {SignedCalls} from "./base/SignedCalls.sol";

/// @title Identity of an agent
/// @dev Of the gate, the number is the highest id and the flag says that the base URI was moved into storage.
contract AgentIdentity is AgentMetadata, DigestUri {
    /// @inheritdoc IAgentIdentity
    bytes32 public constant MINT_IDENTITY_TYPEHASH = keccak256(
        "MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)"
    );

    mapping(uint256 agentId => bytes32) private _digests;
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

    /// @notice The owner's own URI, or base, digest and `.json`; empty for an open registration without a URI.
    function tokenURI(uint256 agentId) public view override returns (string memory) {
        _requireOwned(agentId);
        string memory own = _ownURIs[agentId];
        if (bytes(own).length != 0) return own;
        bytes32 digest = _digests[agentId];
        if (digest == 0) return "";
        return _uriOf(digest, _gate.hasFlag());
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

    function _uriOf(bytes32 digest, bool moved) private view returns (string memory) {
        return moved ? _digestUri(_movedBase, digest) : _initialDigestUri(digest);
    }
}
