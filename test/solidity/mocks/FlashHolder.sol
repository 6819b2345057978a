// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {IAgentIdentity} from "../../../contracts/interfaces/IAgentIdentity.sol";
import {IRewardsV2} from "../../../contracts/interfaces/IRewardsV2.sol";

/// @title A wallet that holds an identity only inside a call
/// @notice On receipt it makes the identity its primary one, asks for a payout, and gives the identity back.
contract FlashHolder is IERC721Receiver {
    IRewardsV2 private immutable REWARDS;

    constructor(IRewardsV2 rewards) {
        REWARDS = rewards;
    }

    function onERC721Received(address, address from, uint256 agentId, bytes calldata) external returns (bytes4) {
        IAgentIdentity(msg.sender).setPrimaryIdentity(agentId);
        REWARDS.payout(address(this));
        IERC721(msg.sender).transferFrom(address(this), from, agentId);
        return IERC721Receiver.onERC721Received.selector;
    }
}
