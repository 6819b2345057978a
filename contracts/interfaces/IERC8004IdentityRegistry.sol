// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Identity registry of agents (ERC-8004)
/// @notice The functions and events of the standard, and `isAuthorizedOrOwner`, which the published Reputation Registry
/// calls.
interface IERC8004IdentityRegistry {
    /// @notice A key and its value.
    /// @param metadataKey The key.
    /// @param metadataValue The value.
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    /// @notice An agent was registered.
    /// @param agentId The new id.
    /// @param agentURI Its `tokenURI`.
    /// @param owner Its owner.
    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);

    /// @notice A metadata value changed.
    /// @param agentId The agent.
    /// @param indexedMetadataKey The key, hashed.
    /// @param metadataKey The key.
    /// @param metadataValue The new value; empty where it was cleared.
    event MetadataSet(
        uint256 indexed agentId,
        string indexed indexedMetadataKey,
        string metadataKey,
        bytes metadataValue
    );

    /// @notice The agent's URI changed.
    /// @param agentId The agent.
    /// @param newURI Its `tokenURI` from now on.
    /// @param updatedBy Owner or approved operator.
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    /// @notice Registers the caller without a URI.
    /// @return agentId The new id.
    function register() external returns (uint256 agentId);

    /// @notice Registers the caller with a URI.
    /// @param agentURI URI of the registration file.
    /// @return agentId The new id.
    function register(string calldata agentURI) external returns (uint256 agentId);

    /// @notice Registers the caller with a URI and metadata. The key `agentWallet` is reserved.
    /// @param agentURI URI of the registration file.
    /// @param metadata Keys and values.
    /// @return agentId The new id.
    function register(string calldata agentURI, MetadataEntry[] calldata metadata) external returns (uint256 agentId);

    /// @notice Replaces the agent's URI; empty: the one it was minted with. Owner or approved operator.
    /// @param agentId The agent.
    /// @param newURI URI of the registration file.
    function setAgentURI(uint256 agentId, string calldata newURI) external;

    /// @notice A metadata value; empty where it was never set.
    /// @param agentId The agent.
    /// @param metadataKey The key.
    function getMetadata(uint256 agentId, string calldata metadataKey) external view returns (bytes memory);

    /// @notice Sets a metadata value. Owner or approved operator; the key `agentWallet` is reserved.
    /// @param agentId The agent.
    /// @param metadataKey The key.
    /// @param metadataValue The value.
    function setMetadata(uint256 agentId, string calldata metadataKey, bytes calldata metadataValue) external;

    /// @notice The address that acts and is paid for the agent: the owner at registration, zero after a transfer.
    /// @param agentId The agent.
    function getAgentWallet(uint256 agentId) external view returns (address);

    /// @notice Sets the agent's wallet. Owner or approved operator; the wallet signs `AgentWalletSet` (ECDSA or
    /// ERC-1271), at most five minutes ahead.
    /// @param agentId The agent.
    /// @param newWallet The wallet.
    /// @param deadline Unix seconds.
    /// @param signature The wallet's, over `AgentWalletSet`.
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature) external;

    /// @notice Clears the agent's wallet. Owner or approved operator.
    /// @param agentId The agent.
    function unsetAgentWallet(uint256 agentId) external;

    /// @notice True where `spender` owns the agent or may move it (ERC-721 approval or operator). Reverts where the agent
    /// does not exist.
    /// @param spender Any account.
    /// @param agentId The agent.
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool);
}
