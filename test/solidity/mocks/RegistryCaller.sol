// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC8004IdentityRegistry} from "../../../contracts/interfaces/IERC8004IdentityRegistry.sol";

/// @title What the canonical ERC-8004 Reputation and Validation registries ask of an identity registry
/// @notice The calls of https://github.com/erc-8004/erc-8004-contracts, in their order: `giveFeedback` of
/// ReputationRegistryUpgradeable 2.0.0 and of the releases before it, `validationRequest` of ValidationRegistryUpgradeable
/// 1.1.0. Nothing else of these contracts reads the identity registry. What the registry reverts with passes through.
contract RegistryCaller {
    address private immutable IDENTITY;

    error SelfFeedback(address client);
    error NotAuthorized(address caller);

    constructor(address identity) {
        IDENTITY = identity;
    }

    /// @notice `giveFeedback` of 2.0.0 refuses an account that may act for the agent, by one question.
    function checkFeedback(uint256 agentId) external view {
        if (IERC8004IdentityRegistry(IDENTITY).isAuthorizedOrOwner(msg.sender, agentId))
            revert SelfFeedback(msg.sender);
    }

    /// @notice `giveFeedback` of earlier releases asks by the functions of ERC-721.
    function checkFeedbackByErc721(uint256 agentId) external view {
        if (_mayAct(agentId)) revert SelfFeedback(msg.sender);
    }

    /// @notice `validationRequest` takes a request from an account that may act for the agent.
    function checkValidationRequest(uint256 agentId) external view {
        if (!_mayAct(agentId)) revert NotAuthorized(msg.sender);
    }

    function _mayAct(uint256 agentId) private view returns (bool) {
        IERC721 identity = IERC721(IDENTITY);
        address owner = identity.ownerOf(agentId);
        return
            msg.sender == owner ||
            identity.isApprovedForAll(owner, msg.sender) ||
            identity.getApproved(agentId) == msg.sender;
    }
}
