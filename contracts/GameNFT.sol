// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {IGameNFT} from "./interfaces/IGameNFT.sol";
import {Collection} from "./mixins/Collection.sol";
import {SignedCalls} from "./mixins/SignedCalls.sol";
import {GameRecord, newGameRecord} from "./types/GameRecord.sol";

/// @title Achievement token of one game
/// @notice See `IGameNFT`.
contract GameNFT is IGameNFT, Collection, SignedCalls {
    using Strings for uint256;

    /// @inheritdoc IGameNFT
    bytes32 public constant MINT_GAME_NFT_TYPEHASH = keccak256(
        "MintGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)"
    );
    /// @inheritdoc IGameNFT
    bytes32 public constant UPGRADE_GAME_NFT_TYPEHASH = keccak256(
        "UpgradeGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)"
    );
    /// @inheritdoc IGameNFT
    uint256 public constant MAX_SCORE = type(uint32).max;

    uint256 private constant MAX_TIERS = 8;
    uint256 private constant BITS_PER_THRESHOLD = 32;

    /// @dev The first tier's threshold in the lowest 32 bits, then upwards; zero ends the list.
    uint256 private immutable THRESHOLDS;

    /// @notice The identities that the tokens belong to.
    IERC721 public immutable identity;

    mapping(address wallet => uint256) private _balances;
    string private _base;

    /// @inheritdoc IGameNFT
    string public slug;

    constructor(
        Duties memory duties,
        IERC721 identity_,
        string memory slug_,
        string memory name_,
        string memory symbol_,
        uint256[] memory thresholds_,
        string memory baseURI_,
        address royaltyReceiver,
        uint96 royaltyBasisPoints
    ) ERC721(name_, symbol_) SignedCalls(string.concat("GameNFT:", slug_), duties) {
        if (bytes(slug_).length == 0) revert EmptySlug();
        if (address(identity_) == address(0)) revert ZeroAddress();
        identity = identity_;
        THRESHOLDS = _pack(thresholds_);
        slug = slug_;
        _base = baseURI_;
        _setRoyalty(royaltyReceiver, royaltyBasisPoints);
        emit BaseURISet(baseURI_);
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
        tier = _tierOfSigned(score);
        // Reverts where the identity does not exist.
        if (identity.ownerOf(agentId) != wallet) revert NotIdentityOwner(wallet, agentId);
        _setTokenData(agentId, GameRecord.unwrap(newGameRecord(score, block.timestamp)));
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
        GameRecord record = _recordOf(agentId);
        uint256 oldScore = record.score();
        if (score <= oldScore) revert ScoreNotHigher(score, oldScore);
        tier = _tierOfSigned(score);
        _setTokenData(agentId, GameRecord.unwrap(record.upgrade(score, block.timestamp)));
        emit GameNftUpgraded(wallet, agentId, oldScore, score, tier);
        emit MetadataUpdate(agentId);
    }

    /// @inheritdoc IGameNFT
    function annul(uint256[] calldata tokenIds) external onlyGuardianOrAdmin {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            uint256 tokenId = tokenIds[i];
            _requireOwned(tokenId);
            GameRecord record = _recordOf(tokenId);
            _setTokenData(tokenId, GameRecord.unwrap(record.annul()));
            emit GameNftAnnulled(tokenId, record.score(), msg.sender);
            emit MetadataUpdate(tokenId);
        }
    }

    /// @inheritdoc IGameNFT
    function setBaseURI(string calldata newBaseURI) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _base = newBaseURI;
        emit BaseURISet(newBaseURI);
        emit BatchMetadataUpdate(1, type(uint256).max);
    }

    /// @inheritdoc IGameNFT
    function recordOf(uint256 tokenId) external view returns (Record memory) {
        GameRecord record = _recordOf(tokenId);
        return
            Record({
                score: uint96(record.score()),
                tier: uint8(_tierOf(record.score())),
                mintedAt: uint40(record.mintedAt()),
                upgradedAt: uint40(record.upgradedAt()),
                upgrades: uint32(record.upgrades())
            });
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

    /// @notice Base, token id and `.json`.
    /// @param tokenId The token.
    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        _requireOwned(tokenId);
        return string.concat(_base, tokenId.toString(), ".json");
    }

    /// @inheritdoc IERC165
    function supportsInterface(
        bytes4 interfaceId
    ) public view override(Collection, AccessControlDefaultAdminRules) returns (bool) {
        return interfaceId == type(IGameNFT).interfaceId || Collection.supportsInterface(interfaceId);
    }

    function _balanceOf(address wallet) internal view override returns (uint256) {
        return _balances[wallet];
    }

    /// @dev See OwnerSlotERC721.
    function _moveBalance(address from, address to, uint256) internal override {
        unchecked {
            if (from != address(0)) --_balances[from];
            if (to != address(0)) ++_balances[to];
        }
    }

    function _recordOf(uint256 tokenId) private view returns (GameRecord) {
        return GameRecord.wrap(_tokenData(tokenId));
    }

    /// @dev The tier of a score that may be recorded.
    function _tierOfSigned(uint256 score) private view returns (uint256 tier) {
        if (score > MAX_SCORE) revert ScoreOutOfRange(score, MAX_SCORE);
        tier = _tierOf(score);
        if (tier == 0) revert ScoreBelowFirstTier(score, THRESHOLDS & type(uint32).max);
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
