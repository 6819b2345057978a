// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {IERC7572} from "./interfaces/IERC7572.sol";
import {IGameNFT} from "./interfaces/IGameNFT.sol";
import {RecordWord, recordOfMint} from "./base/RecordWord.sol";
import {SignedCalls} from "./base/SignedCalls.sol";

/// @title Achievement token of one game
contract GameNFT is IGameNFT, IERC7572, IERC4906, ERC721, ERC2981, SignedCalls {
    using Strings for uint256;
    using Strings for string;

    /// @inheritdoc IGameNFT
    bytes32 public constant MINT_GAME_NFT_TYPEHASH = keccak256(
        "MintGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)"
    );
    /// @inheritdoc IGameNFT
    bytes32 public constant UPGRADE_GAME_NFT_TYPEHASH = keccak256(
        "UpgradeGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)"
    );

    bytes4 private constant ERC4906_INTERFACE_ID = 0x49064906;
    uint256 private constant MAX_TIERS = 8;
    uint256 private constant BITS_PER_THRESHOLD = 32;

    /// @dev The first tier's threshold in the lowest 32 bits, then upwards; zero ends the list.
    uint256 private immutable THRESHOLDS;

    mapping(uint256 tokenId => RecordWord) private _records;
    string private _base;
    string private _ownContractURI;

    /// @inheritdoc IGameNFT
    string public slug;

    constructor(
        Duties memory duties,
        string memory slug_,
        string memory name_,
        string memory symbol_,
        uint256[] memory thresholds_,
        string memory baseURI_,
        address royaltyReceiver,
        uint96 royaltyBasisPoints
    ) ERC721(name_, symbol_) SignedCalls(string.concat("GameNFT:", slug_), duties) {
        if (bytes(slug_).length == 0) revert EmptySlug();
        THRESHOLDS = _pack(thresholds_);
        slug = slug_;
        _base = baseURI_;
        _setDefaultRoyalty(royaltyReceiver, royaltyBasisPoints);
        emit BaseURISet(baseURI_);
        emit RoyaltySet(royaltyReceiver, royaltyBasisPoints);
    }

    /// @inheritdoc IGameNFT
    function mintSigned(
        address wallet,
        uint256 agentId,
        uint256 score,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 tier) {
        _checkSigned(
            keccak256(abi.encode(MINT_GAME_NFT_TYPEHASH, wallet, agentId, score, deadline)),
            deadline,
            signature
        );
        if (_ownerOf(agentId) != address(0)) revert AlreadyMinted(agentId);
        tier = _tierOfRecorded(score);
        if (tier == 0) revert ScoreBelowFirstTier(score, THRESHOLDS & type(uint32).max);
        _records[agentId] = recordOfMint(score, tier, block.timestamp);
        _mint(wallet, agentId);
        emit GameNftMinted(wallet, agentId, score, tier);
    }

    /// @inheritdoc IGameNFT
    function upgradeSigned(
        address wallet,
        uint256 agentId,
        uint256 score,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 tier) {
        _checkSigned(
            keccak256(abi.encode(UPGRADE_GAME_NFT_TYPEHASH, wallet, agentId, score, deadline)),
            deadline,
            signature
        );
        if (_requireOwned(agentId) != wallet) revert NotTokenOwner(wallet, agentId);
        RecordWord record = _records[agentId];
        uint256 oldScore = record.scoreOf();
        if (score <= oldScore) revert ScoreNotHigher(score, oldScore);
        tier = _tierOfRecorded(score);
        _records[agentId] = record.upgraded(score, tier, block.timestamp);
        emit GameNftUpgraded(wallet, agentId, oldScore, score, tier);
        emit MetadataUpdate(agentId);
    }

    /// @inheritdoc IGameNFT
    function setBaseURI(string calldata newBaseURI) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _base = newBaseURI;
        emit BaseURISet(newBaseURI);
        emit BatchMetadataUpdate(1, type(uint256).max);
    }

    /// @inheritdoc IGameNFT
    function setContractURI(string calldata newContractURI) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _ownContractURI = newContractURI;
        emit ContractURIUpdated();
    }

    /// @inheritdoc IGameNFT
    function setRoyalty(address receiver, uint96 basisPoints) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setDefaultRoyalty(receiver, basisPoints);
        emit RoyaltySet(receiver, basisPoints);
    }

    /// @inheritdoc IGameNFT
    function recordOf(uint256 tokenId) external view returns (Record memory) {
        return _records[tokenId].unpackRecord();
    }

    /// @inheritdoc IGameNFT
    function tierOf(uint256 score) external view returns (uint256) {
        return _tierOf(score);
    }

    /// @inheritdoc IGameNFT
    function thresholds() external view returns (uint256[] memory list) {
        uint256 count = _tierOf(type(uint256).max);
        list = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) list[i] = (THRESHOLDS >> (i * BITS_PER_THRESHOLD)) & type(uint32).max;
    }

    /// @inheritdoc IERC7572
    function contractURI() external view returns (string memory) {
        if (bytes(_ownContractURI).length != 0) return _ownContractURI;
        return
            string.concat(
                'data:application/json;utf8,{"name":"',
                name().escapeJSON(),
                '","symbol":"',
                symbol().escapeJSON(),
                '"}'
            );
    }

    /// @notice Base, token id and `.json`.
    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        _requireOwned(tokenId);
        return string.concat(_base, tokenId.toString(), ".json");
    }

    /// @inheritdoc IERC165
    function supportsInterface(
        bytes4 interfaceId
    ) public view override(ERC721, ERC2981, IERC165, AccessControlDefaultAdminRules) returns (bool) {
        return
            interfaceId == ERC4906_INTERFACE_ID ||
            interfaceId == type(IGameNFT).interfaceId ||
            interfaceId == type(IERC7572).interfaceId ||
            ERC721.supportsInterface(interfaceId) ||
            ERC2981.supportsInterface(interfaceId) ||
            AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    /// @dev Also refuses what no record can hold.
    function _tierOfRecorded(uint256 score) private view returns (uint256) {
        if (score > type(uint96).max) revert ScoreOutOfRange(score, type(uint96).max);
        return _tierOf(score);
    }

    function _tierOf(uint256 score) private view returns (uint256 tier) {
        for (uint256 rest = THRESHOLDS; rest != 0; rest >>= BITS_PER_THRESHOLD) {
            if (score < rest & type(uint32).max) break;
            unchecked {
                ++tier;
            }
        }
    }

    function _pack(uint256[] memory list) private pure returns (uint256 packed) {
        if (list.length == 0 || list.length > MAX_TIERS) revert InvalidThresholds();
        uint256 last = 0;
        for (uint256 i = 0; i < list.length; ++i) {
            if (list[i] <= last || list[i] > type(uint32).max) revert InvalidThresholds();
            last = list[i];
            packed |= last << (i * BITS_PER_THRESHOLD);
        }
    }
}
