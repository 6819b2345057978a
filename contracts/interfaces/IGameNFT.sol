// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Achievement token of one game
/// @notice Deployed once per game. A token belongs to one agent identity (`tokenId = agentId`), carries the best score
/// that was signed for it, and a tier computed here from thresholds that never change. It may be sold: the record
/// travels with it, and the new owner can go on.
interface IGameNFT {
    /// @notice What a token says; one storage slot.
    struct Record {
        uint96 score;
        uint8 tier;
        uint40 mintedAt;
        uint40 upgradedAt;
        uint32 upgrades;
    }

    /// @notice The agent holds this game's token already: use `upgradeSigned`.
    error AlreadyMinted(uint256 tokenId);

    /// @notice The score does not reach the first tier.
    error ScoreBelowFirstTier(uint256 score, uint256 minScore);

    /// @notice Only a higher score is an upgrade; this is what makes a message usable once.
    error ScoreNotHigher(uint256 score, uint256 currentScore);

    /// @notice The score does not fit.
    error ScoreOutOfRange(uint256 score, uint256 max);

    /// @notice The message names another wallet than the token's owner.
    error NotTokenOwner(address wallet, uint256 tokenId);

    /// @notice Thresholds are 1 to 8 strictly rising numbers from 1 to 2^32 - 1.
    error InvalidThresholds();

    /// @notice A game has a slug. One of more than 23 bytes is refused too (`StringTooLong`): the domain's name has 31.
    error EmptySlug();

    event GameNftMinted(address indexed wallet, uint256 indexed tokenId, uint256 score, uint256 tier);
    event GameNftUpgraded(
        address indexed wallet,
        uint256 indexed tokenId,
        uint256 oldScore,
        uint256 score,
        uint256 tier
    );
    event BaseURISet(string baseURI);
    event RoyaltySet(address indexed receiver, uint96 basisPoints);

    /// @notice `keccak256("MintGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)")`.
    function MINT_GAME_NFT_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("UpgradeGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)")`.
    function UPGRADE_GAME_NFT_TYPEHASH() external view returns (bytes32);

    /// @notice Mints the agent's token to `wallet`. Anyone may send it; only `wallet` gains.
    /// @param wallet Receiver, named in the signed message.
    /// @param agentId The agent; also the token's id.
    /// @param score The agent's score; decides the tier.
    /// @param deadline Unix seconds.
    /// @param signature The signer's, over `MintGameNft`.
    function mintSigned(
        address wallet,
        uint256 agentId,
        uint256 score,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 tier);

    /// @notice Raises the score of the token that `wallet` owns. Anyone may send it.
    function upgradeSigned(
        address wallet,
        uint256 agentId,
        uint256 score,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 tier);

    /// @notice The record of a token; all zero where it does not exist.
    function recordOf(uint256 tokenId) external view returns (Record memory);

    /// @notice The tier of a score; zero below the first.
    function tierOf(uint256 score) external view returns (uint256 tier);

    /// @notice Least score of each tier, from the first.
    function thresholds() external view returns (uint256[] memory);

    /// @notice The game's slug; the EIP-712 domain's name is `GameNFT:<slug>`.
    function slug() external view returns (string memory);

    /// @notice Moves the place metadata is served from. Admin only.
    function setBaseURI(string calldata newBaseURI) external;

    /// @notice Replaces the collection's metadata; empty: the one made from name and symbol. Admin only.
    function setContractURI(string calldata newContractURI) external;

    /// @notice Sets the royalty of every token (ERC-2981). Admin only.
    function setRoyalty(address receiver, uint96 basisPoints) external;
}
