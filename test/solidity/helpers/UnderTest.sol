// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IAgentIdentity} from "../../../contracts/interfaces/IAgentIdentity.sol";
import {IERC8004IdentityRegistry} from "../../../contracts/interfaces/IERC8004IdentityRegistry.sol";
import {IGameNFT} from "../../../contracts/interfaces/IGameNFT.sol";
import {IGuarded} from "../../../contracts/interfaces/IGuarded.sol";
import {IRewardsV2} from "../../../contracts/interfaces/IRewardsV2.sol";
import {ISignedCalls} from "../../../contracts/interfaces/ISignedCalls.sol";
import {ISignerRotation} from "../../../contracts/interfaces/ISignerRotation.sol";

// solhint-disable no-empty-blocks, interface-starts-with-i

/// @dev The contracts by their interfaces, so that the tests need not compile the contracts again.
interface IdentityUnderTest is
    IAgentIdentity,
    IERC8004IdentityRegistry,
    IERC721,
    ISignedCalls,
    ISignerRotation,
    IGuarded
{
    function tokenURI(uint256 agentId) external view returns (string memory);
}

interface GameNFTUnderTest is IGameNFT, IERC721, ISignedCalls, ISignerRotation, IGuarded {}

interface RewardsUnderTest is IRewardsV2, ISignedCalls, ISignerRotation, IGuarded {}
