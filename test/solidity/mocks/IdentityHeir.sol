// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IdentityTokens} from "../../../contracts/mixins/IdentityTokens.sol";

// solhint-disable const-name-snakecase, no-empty-blocks

/// @title A contract that inherits the identities' tokens and uses OpenZeppelin's internal functions
/// @notice What `_mint`, `_burn` and `_increaseBalance` do here, they would do in a later heir of AgentIdentity.
contract IdentityHeir is IdentityTokens {
    bytes32 public constant MINT_IDENTITY_TYPEHASH = 0;
    bytes32 public constant CONSENT_TO_MINT_TYPEHASH = 0;
    bytes32 public constant AGENT_WALLET_SET_TYPEHASH = 0;
    uint256 public constant MAX_WALLET_DEADLINE_SECONDS = 0;
    uint256 public constant totalSupply = 0;
    string public constant baseURI = "";
    bool public constant openRegistration = false;

    constructor() ERC721("Heir", "HEIR") {}

    function mint(address to, uint256 agentId) external {
        _mint(to, agentId);
    }

    function burn(uint256 agentId) external {
        _burn(agentId);
    }

    function increaseBalance(address wallet) external pure {
        _increaseBalance(wallet, 1);
    }

    function setData(uint256 agentId, uint96 data) external {
        _setTokenData(agentId, data);
    }

    function setOpenRegistration(bool) external {}

    function setBaseURI(string calldata) external {}

    function mintIdentityWithSignature(address, bytes32, uint256, bytes calldata) external returns (uint256) {}

    function mintIdentityFor(address, bytes32, uint256, bytes calldata, bytes calldata) external returns (uint256) {}

    function tokenData(uint256 agentId) external view returns (uint96) {
        return _tokenData(agentId);
    }

    function metadataDigest(uint256) external pure returns (bytes32) {
        return 0;
    }
}
