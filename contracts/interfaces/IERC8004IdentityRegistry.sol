// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Identity registry of agents (ERC-8004)
interface IERC8004IdentityRegistry {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event MetadataSet(
        uint256 indexed agentId,
        string indexed indexedMetadataKey,
        string metadataKey,
        bytes metadataValue
    );
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    /// @notice Registers the caller without a URI.
    function register() external returns (uint256 agentId);

    /// @notice Registers the caller with a URI.
    function register(string calldata agentURI) external returns (uint256 agentId);

    /// @notice Registers the caller with a URI and metadata. The key `agentWallet` is reserved.
    function register(string calldata agentURI, MetadataEntry[] calldata metadata) external returns (uint256 agentId);

    /// @notice Replaces the agent's URI. Owner or approved operator.
    function setAgentURI(uint256 agentId, string calldata newURI) external;

    /// @notice A metadata value; empty where it was never set.
    function getMetadata(uint256 agentId, string calldata metadataKey) external view returns (bytes memory);

    /// @notice Sets a metadata value. Owner or approved operator; the key `agentWallet` is reserved.
    function setMetadata(uint256 agentId, string calldata metadataKey, bytes calldata metadataValue) external;

    /// @notice The address that acts and is paid for the agent: the owner at registration, zero after a transfer.
    function getAgentWallet(uint256 agentId) external view returns (address);

    /// @notice Sets the agent's wallet. Owner or approved operator; `newWallet` signs `AgentWalletSet` (ECDSA or
    /// ERC-1271), at most five minutes ahead.
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature) external;

    /// @notice Clears the agent's wallet. Owner or approved operator.
    function unsetAgentWallet(uint256 agentId) external;
}
