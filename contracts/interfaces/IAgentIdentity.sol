// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Identity of an agent
/// @notice An ERC-721 whose token is the agent, minted with the service's signature and registered as ERC-8004 says.
/// Ids start at 1 and rise by one.
interface IAgentIdentity {
    /// @notice The message names another wallet than the caller.
    error NotWallet(address caller, address wallet);

    /// @notice The caller does not own the identity.
    error NotIdentityOwner(address caller, uint256 agentId);

    /// @notice `register` is closed: identities come from `mintIdentityWithSignature`.
    error RegistrationRequiresSignature();

    /// @notice The metadata key has a function of its own.
    error ReservedMetadataKey(string metadataKey);

    /// @notice The new wallet did not sign for the agent.
    error InvalidWalletSignature(address newWallet);

    /// @notice The wallet's primary identity became `agentId`; zero: it has none. Not raised by a mint or a
    /// registration, which make the first identity of a wallet its primary one.
    event PrimaryIdentitySet(address indexed wallet, uint256 indexed agentId);

    /// @notice Outstanding mint signatures of the wallet are void; `nonce` is the next one.
    event MintNonceCancelled(address indexed wallet, uint256 nonce);

    event OpenRegistrationSet(bool open);
    event BaseURISet(string baseURI);

    /// @notice `keccak256("MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)")`.
    function MINT_IDENTITY_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)")`.
    function AGENT_WALLET_SET_TYPEHASH() external view returns (bytes32);

    /// @notice The longest time an `AgentWalletSet` deadline may lie ahead, in seconds (ERC-8004).
    function MAX_WALLET_DEADLINE_SECONDS() external view returns (uint256);

    /// @notice Mints the next identity to the caller, with the signer's consent.
    /// @param to The caller itself.
    /// @param metadataDigest Digest of the registration file; the token's URI ends with it.
    /// @param deadline Unix seconds.
    /// @param signature The signer's, over `MintIdentity` with `mintNonces(to)`.
    function mintIdentityWithSignature(
        address to,
        bytes32 metadataDigest,
        uint256 deadline,
        bytes calldata signature
    ) external returns (uint256 agentId);

    /// @notice Voids every mint signature made for the caller so far.
    function cancelMintNonce() external;

    /// @notice The nonce the wallet's next `MintIdentity` must carry.
    function mintNonces(address wallet) external view returns (uint256);

    /// @notice The identity a wallet acts as; zero for none. Never an identity the wallet does not own.
    function primaryIdentity(address wallet) external view returns (uint256 agentId);

    /// @notice Chooses which of the caller's identities it acts as.
    function setPrimaryIdentity(uint256 agentId) external;

    /// @notice The digest an identity was minted with; zero where it was registered openly.
    function metadataDigest(uint256 agentId) external view returns (bytes32);

    /// @notice How many identities exist; also the highest id.
    function totalSupply() external view returns (uint256);

    /// @notice Beginning of the URI of every identity whose owner set none.
    function baseURI() external view returns (string memory);

    /// @notice True where `register` needs no signature.
    function openRegistration() external view returns (bool);

    /// @notice Opens `register` (admin) or closes it (guardian or admin).
    function setOpenRegistration(bool open) external;

    /// @notice Moves the place registration files are served from. Admin only.
    function setBaseURI(string calldata newBaseURI) external;
}
