// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Achievement token of one game
/// @notice Deployed once per game. A token belongs to one agent identity (`tokenId = agentId`), carries the best score
/// that was signed for it, and a tier computed here from thresholds that never change. Only the owner of the identity
/// mints it. It may be sold: the record stays with the token, and the new owner can raise it.
interface IGameNFT {
    /// @notice What a token says; one storage slot together with its owner.
    /// @param score Best score; zero after `annul`.
    /// @param tier `tierOf(score)`.
    /// @param mintedAt Unix seconds, in whole minutes.
    /// @param upgradedAt Unix seconds, in whole minutes; zero for never.
    /// @param upgrades How often the score rose; stays at 4,095 once it is there.
    struct Record {
        uint96 score;
        uint8 tier;
        uint40 mintedAt;
        uint40 upgradedAt;
        uint32 upgrades;
    }

    /// @notice The agent holds this game's token already: use `upgradeSigned`.
    /// @param tokenId The token.
    error AlreadyMinted(uint256 tokenId);

    /// @notice The wallet does not own the identity that the token belongs to.
    /// @param wallet The wallet that the message names.
    /// @param agentId The identity.
    error NotIdentityOwner(address wallet, uint256 agentId);

    /// @notice The score does not reach the first tier.
    /// @param score The score.
    /// @param minScore Least score of the first tier.
    error ScoreBelowFirstTier(uint256 score, uint256 minScore);

    /// @notice Only a higher score is an upgrade; this is what makes a message usable once.
    /// @param score The score of the message.
    /// @param currentScore The score of the token.
    error ScoreNotHigher(uint256 score, uint256 currentScore);

    /// @notice The score is above `MAX_SCORE`.
    /// @param score The score.
    /// @param max `MAX_SCORE`.
    error ScoreOutOfRange(uint256 score, uint256 max);

    /// @notice The message names another wallet than the token's owner.
    /// @param wallet The wallet that the message names.
    /// @param tokenId The token.
    error NotTokenOwner(address wallet, uint256 tokenId);

    /// @notice Thresholds are 1 to 8 strictly rising numbers from 1 to 2^32 - 1.
    error InvalidThresholds();

    /// @notice A game has a slug. One of more than 23 bytes is refused too (`StringTooLong`): the domain's name has 31.
    error EmptySlug();

    /// @notice A token was minted.
    /// @param wallet Its owner.
    /// @param tokenId The token; also the agent's id.
    /// @param score Its score.
    /// @param tier The tier of the score.
    event GameNftMinted(address indexed wallet, uint256 indexed tokenId, uint256 score, uint256 tier);

    /// @notice The score of a token rose.
    /// @param wallet Its owner.
    /// @param tokenId The token.
    /// @param oldScore The score before.
    /// @param score The score now.
    /// @param tier The tier of the score.
    event GameNftUpgraded(
        address indexed wallet,
        uint256 indexed tokenId,
        uint256 oldScore,
        uint256 score,
        uint256 tier
    );

    /// @notice A record was annulled: score and tier are zero until an upgrade.
    /// @param tokenId The token.
    /// @param score The score before.
    /// @param by The guardian or the admin.
    event GameNftAnnulled(uint256 indexed tokenId, uint256 score, address indexed by);

    /// @notice The place metadata is served from changed.
    /// @param baseURI Beginning of every token's URI.
    event BaseURISet(string baseURI);

    /// @notice `keccak256("MintGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)")`.
    function MINT_GAME_NFT_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("UpgradeGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)")`.
    function UPGRADE_GAME_NFT_TYPEHASH() external view returns (bytes32);

    /// @notice The highest score a record holds: 2^32 - 1. A service signs no score above it.
    function MAX_SCORE() external view returns (uint256);

    /// @notice Mints the agent's token to `wallet`, which must own the identity. Anyone may send it; only `wallet` gains.
    /// @param wallet Owner of the identity, named in the signed message.
    /// @param agentId The agent; also the token's id.
    /// @param score The agent's score; decides the tier.
    /// @param deadline Unix seconds.
    /// @param signature The signer's, over `MintGameNft`.
    /// @return tier The tier of the score.
    function mintSigned(
        address wallet,
        uint256 agentId,
        uint256 score,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 tier);

    /// @notice Raises the score of the token that `wallet` owns. Anyone may send it.
    /// @param wallet Owner of the token, named in the signed message.
    /// @param agentId The token's id.
    /// @param score The new score.
    /// @param deadline Unix seconds.
    /// @param signature The signer's, over `UpgradeGameNft`.
    /// @return tier The tier of the score.
    function upgradeSigned(
        address wallet,
        uint256 agentId,
        uint256 score,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 tier);

    /// @notice Sets score and tier of records to zero, for those that were made with a stolen key. The owners keep the
    /// tokens; a new signature over the true score undoes it. All or none. Guardian or admin.
    /// @param tokenIds The tokens.
    function annul(uint256[] calldata tokenIds) external;

    /// @notice The record of a token; all zero where it does not exist.
    /// @param tokenId Any id.
    function recordOf(uint256 tokenId) external view returns (Record memory);

    /// @notice The tier of a score; zero below the first.
    /// @param score Any score.
    /// @return tier From 1.
    function tierOf(uint256 score) external view returns (uint256 tier);

    /// @notice Least score of each tier, from the first.
    function thresholds() external view returns (uint256[] memory);

    /// @notice The game's slug; the EIP-712 domain's name is `GameNFT:<slug>`.
    function slug() external view returns (string memory);

    /// @notice Moves the place metadata is served from. Admin only.
    /// @param newBaseURI Beginning of every URI, up to the token's id.
    function setBaseURI(string calldata newBaseURI) external;
}
