// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IAgentIdentity} from "./interfaces/IAgentIdentity.sol";
import {IERC8004IdentityRegistry} from "./interfaces/IERC8004IdentityRegistry.sol";
import {AgentMetadata} from "./mixins/AgentMetadata.sol";
import {DigestUri} from "./mixins/DigestUri.sol";
import {SignedCalls} from "./mixins/SignedCalls.sol";
import {HolderState} from "./types/HolderState.sol";
import {IdentityConfig, toIdentityConfig} from "./types/IdentityConfig.sol";

/// @title Identity of an agent
/// @notice See `IAgentIdentity` and `IERC8004IdentityRegistry`.
contract AgentIdentity is AgentMetadata, DigestUri {
    /// @inheritdoc IAgentIdentity
    bytes32 public constant MINT_IDENTITY_TYPEHASH = keccak256(
        "MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)"
    );
    /// @inheritdoc IAgentIdentity
    bytes32 public constant CONSENT_TO_MINT_TYPEHASH = keccak256(
        "ConsentToMint(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)"
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
        return _mintSigned(to, digest, _holders[to], deadline, signature);
    }

    /// @inheritdoc IAgentIdentity
    function mintIdentityFor(
        address to,
        bytes32 digest,
        uint256 deadline,
        bytes calldata signature,
        bytes calldata consent
    ) external returns (uint256 agentId) {
        HolderState holder = _holders[to];
        bytes32 structHash = _hashMint(CONSENT_TO_MINT_TYPEHASH, to, digest, holder, deadline);
        if (!_isSignedByWallet(to, _hashTypedDataV4(structHash), consent)) revert InvalidConsent(to);
        return _mintSigned(to, digest, holder, deadline, signature);
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
        IdentityConfig config = toIdentityConfig(_signerConfig).setBaseUriMoved();
        _signerConfig = config.toSignerConfig();
        emit BaseURISet(newBaseURI);
        emit BatchMetadataUpdate(1, config.lastAgentId());
    }

    /// @inheritdoc IAgentIdentity
    function metadataDigest(uint256 agentId) external view returns (bytes32) {
        _requireOwned(agentId);
        return _digests[agentId];
    }

    /// @inheritdoc IAgentIdentity
    function totalSupply() external view returns (uint256) {
        return toIdentityConfig(_signerConfig).lastAgentId();
    }

    /// @inheritdoc IAgentIdentity
    function baseURI() external view returns (string memory) {
        return toIdentityConfig(_signerConfig).baseUriMoved() ? _movedBase : _initialBase();
    }

    /// @notice The owner's own URI, or base, digest and `.json`; empty where it has neither.
    /// @param agentId The identity.
    function tokenURI(uint256 agentId) public view override returns (string memory) {
        _requireOwned(agentId);
        string memory own = _ownURIs[agentId];
        if (bytes(own).length != 0) return own;
        return _digestURI(_digests[agentId], toIdentityConfig(_signerConfig).baseUriMoved());
    }

    /// @dev `holder` is the wallet's state before the mint.
    function _mintSigned(
        address to,
        bytes32 digest,
        HolderState holder,
        uint256 deadline,
        bytes calldata signature
    ) private returns (uint256 agentId) {
        IdentityConfig config = toIdentityConfig(
            _checkSigned(_hashMint(MINT_IDENTITY_TYPEHASH, to, digest, holder, deadline), deadline, signature)
        );
        _holders[to] = holder.incrementNonce();
        agentId = _mintNext(to, config, _digestURI(digest, config.baseUriMoved()));
        _digests[agentId] = digest;
    }

    function _registerOpenly(string memory agentURI) private returns (uint256 agentId) {
        if (!openRegistration) revert RegistrationRequiresSignature();
        IdentityConfig config = toIdentityConfig(_signerConfig);
        if (config.toSignerConfig().paused()) revert EnforcedPause();
        agentId = _mintNext(msg.sender, config, agentURI);
        if (bytes(agentURI).length != 0) _ownURIs[agentId] = agentURI;
    }

    function _mintNext(address to, IdentityConfig config, string memory agentURI) private returns (uint256 agentId) {
        agentId = config.lastAgentId() + 1;
        _signerConfig = config.setLastAgentId(agentId).toSignerConfig();
        _mint(to, agentId);
        emit Registered(agentId, agentURI, to);
        _emitWallet(agentId, to);
    }

    function _hashMint(
        bytes32 typeHash,
        address to,
        bytes32 digest,
        HolderState holder,
        uint256 deadline
    ) private pure returns (bytes32) {
        return keccak256(abi.encode(typeHash, to, digest, holder.mintNonce(), deadline));
    }

    function _digestURI(bytes32 digest, bool moved) private view returns (string memory) {
        if (digest == 0) return "";
        (bytes32 high, bytes32 low) = _hexOf(digest);
        return moved ? _digestUri(_movedBase, high, low) : _initialDigestUri(high, low);
    }
}
