// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Identity of an agent
/// @notice An ERC-721 whose token is the agent, minted with the service's signature and registered as ERC-8004 says.
/// Ids start at 1 and rise by one.
///
/// A wallet acts as its primary identity. A mint makes the new identity primary where the wallet has none; a transfer
/// never does, so that a wallet does not act as an identity that it was sent unasked. A wallet that transfers its primary
/// identity has none until it chooses another one with `setPrimaryIdentity`.
interface IAgentIdentity {
    /// @notice The message names a wallet other than the caller. Other callers use `mintIdentityFor`.
    /// @param caller Who called.
    /// @param wallet Whom the message names.
    error NotWallet(address caller, address wallet);

    /// @notice The caller does not own the identity.
    /// @param caller Who called.
    /// @param agentId The identity.
    error NotIdentityOwner(address caller, uint256 agentId);

    /// @notice `register` is closed: identities come from `mintIdentityWithSignature` and `mintIdentityFor`.
    error RegistrationRequiresSignature();

    /// @notice The metadata key has a function of its own.
    /// @param metadataKey The key.
    error ReservedMetadataKey(string metadataKey);

    /// @notice The new wallet did not sign `AgentWalletSet` for the agent.
    /// @param newWallet The wallet.
    error InvalidWalletSignature(address newWallet);

    /// @notice The wallet did not sign `ConsentToMint` with its next nonce.
    /// @param wallet The wallet that would have received the identity.
    error InvalidConsent(address wallet);

    /// @notice The wallet's primary identity changed. Not raised by a mint or a registration, which make the first
    /// identity of a wallet its primary one.
    /// @param wallet The wallet.
    /// @param agentId Its primary identity; zero: it has none until it calls `setPrimaryIdentity`.
    event PrimaryIdentitySet(address indexed wallet, uint256 indexed agentId);

    /// @notice Outstanding mint signatures and consents of the wallet are void.
    /// @param wallet The wallet.
    /// @param nonce Its next nonce.
    event MintNonceCancelled(address indexed wallet, uint256 nonce);

    /// @notice `register` was opened or closed.
    /// @param open True where it needs no signature.
    event OpenRegistrationSet(bool open);

    /// @notice The base URI of registration files changed.
    /// @param baseURI Beginning of the URI of every identity whose owner set none.
    event BaseURISet(string baseURI);

    /// @notice `keccak256("MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)")`.
    function MINT_IDENTITY_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("ConsentToMint(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)")`.
    function CONSENT_TO_MINT_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)")`.
    function AGENT_WALLET_SET_TYPEHASH() external view returns (bytes32);

    /// @notice The longest time an `AgentWalletSet` deadline may lie ahead, in seconds (ERC-8004).
    function MAX_WALLET_DEADLINE_SECONDS() external view returns (uint256);

    /// @notice Mints the next identity to the caller, with the signer's consent.
    /// @param to The caller itself.
    /// @param metadataDigest Digest of the registration file; the token's URI ends with it. Zero: no URI.
    /// @param deadline Unix seconds.
    /// @param signature The signer's, over `MintIdentity` with `mintNonces(to)`.
    /// @return agentId The new identity.
    function mintIdentityWithSignature(
        address to,
        bytes32 metadataDigest,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 agentId);

    /// @notice Mints the next identity to a wallet that agreed to it. Anyone may send it (a sponsor pays the gas).
    /// @param to The wallet.
    /// @param metadataDigest Digest of the registration file; the token's URI ends with it. Zero: no URI.
    /// @param deadline Unix seconds, the same in both messages.
    /// @param signature The signer's, over `MintIdentity` with `mintNonces(to)`.
    /// @param consent The wallet's (ECDSA or ERC-1271), over `ConsentToMint` with the same nonce.
    /// @return agentId The new identity.
    function mintIdentityFor(
        address to,
        bytes32 metadataDigest,
        uint256 deadline,
        bytes calldata signature,
        bytes calldata consent
    ) external returns (uint256 agentId);

    /// @notice Voids every mint signature and consent made for the caller so far.
    function cancelMintNonce() external;

    /// @notice The nonce that the wallet's next `MintIdentity` and `ConsentToMint` must carry.
    /// @param wallet Any wallet.
    function mintNonces(address wallet) external view returns (uint256);

    /// @notice The identity a wallet acts as; zero for none. Never an identity the wallet does not own.
    /// @param wallet Any wallet.
    /// @return agentId The identity.
    function primaryIdentity(address wallet) external view returns (uint256 agentId);

    /// @notice Unix second since when the wallet's primary identity has been its primary one without a break; zero where
    /// it has none.
    /// @param wallet Any wallet.
    function primarySince(address wallet) external view returns (uint256);

    /// @notice `primaryIdentity` and `primarySince` in one read, for contracts that need both.
    /// @param wallet Any wallet.
    /// @return agentId The identity; zero for none.
    /// @return since Unix second since when it is primary; zero for none.
    function primary(address wallet) external view returns (uint256 agentId, uint256 since);

    /// @notice Chooses which of the caller's identities it acts as.
    /// @param agentId An identity that the caller owns.
    function setPrimaryIdentity(uint256 agentId) external;

    /// @notice The digest an identity was minted with; zero where it was registered openly.
    /// @param agentId The identity.
    function metadataDigest(uint256 agentId) external view returns (bytes32);

    /// @notice How many identities exist; also the highest id.
    function totalSupply() external view returns (uint256);

    /// @notice Beginning of the URI of every identity whose owner set none.
    function baseURI() external view returns (string memory);

    /// @notice True where `register` needs no signature.
    function openRegistration() external view returns (bool);

    /// @notice Opens `register` (admin) or closes it (guardian or admin).
    /// @param open True to open it.
    function setOpenRegistration(bool open) external;

    /// @notice Changes the base URI of registration files. Admin only.
    /// @param newBaseURI Beginning of every URI, up to the digest.
    function setBaseURI(string calldata newBaseURI) external;
}
