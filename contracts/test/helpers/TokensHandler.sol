// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC8004IdentityRegistry} from "../../interfaces/IERC8004IdentityRegistry.sol";
import {ArcadeTest} from "./ArcadeTest.sol";
import {bound, vm} from "./Vm.sol";

/// @title What wallets may do to identities and game tokens, in any order
contract TokensHandler is ArcadeTest {
    uint256 public constant ACTORS = 4;
    uint256 public constant AGENTS = 6;

    mapping(uint256 => uint256) public bestScore;
    mapping(address => uint256) public nonces;
    uint256 public minted;

    constructor() {
        deployArcade();
        vm.prank(ADMIN);
        identity.setOpenRegistration(true);
    }

    function actor(uint256 seed) public pure returns (address) {
        return address(uint160(0x1000 + (seed % ACTORS)));
    }

    function contracts() external view returns (address, address) {
        return (address(identity), address(nft));
    }

    function mintIdentity(uint256 who, bytes32 digest, bool isForged) external {
        address wallet = actor(who);
        bytes memory signature = signMint(isForged ? 0xBAD : SIGNER_KEY, wallet, digest, block.timestamp);
        vm.prank(wallet);
        try identity.mintIdentityWithSignature(wallet, digest, block.timestamp, signature) returns (uint256 agentId) {
            assert(!isForged && !identity.paused() && agentId == ++minted);
            nonces[wallet] += 1;
        } catch {
            assert(isForged || identity.paused());
        }
    }

    function registerOpenly(uint256 who) external {
        if (identity.paused()) return;
        vm.prank(actor(who));
        assert(IERC8004IdentityRegistry(address(identity)).register("u") == ++minted);
    }

    function cancelNonce(uint256 who) external {
        vm.prank(actor(who));
        identity.cancelMintNonce();
        nonces[actor(who)] += 1;
    }

    function transferIdentity(uint256 agentSeed, uint256 to) external {
        if (minted == 0) return;
        uint256 agentId = 1 + (agentSeed % minted);
        address owner = identity.ownerOf(agentId);
        vm.prank(owner);
        identity.transferFrom(owner, actor(to), agentId);
        assert(identity.getAgentWallet(agentId) == address(0));
    }

    function setPrimary(uint256 who, uint256 agentSeed) external {
        if (minted == 0) return;
        uint256 agentId = 1 + (agentSeed % minted);
        bool isOwner = identity.ownerOf(agentId) == actor(who);
        vm.prank(actor(who));
        try identity.setPrimaryIdentity(agentId) {
            assert(isOwner && identity.primaryIdentity(actor(who)) == agentId);
        } catch {
            assert(!isOwner);
        }
    }

    function mintNft(uint256 who, uint256 agentSeed, uint256 score) external {
        uint256 agentId = agentSeed % AGENTS;
        score = bound(score, 0, 5_000);
        bytes memory signature = signNft(SIGNER_KEY, true, actor(who), agentId, score, block.timestamp);
        bool mustSucceed = bestScore[agentId] == 0 && tierByHand(score) != 0 && !nft.paused();
        try nft.mintSigned(actor(who), agentId, score, block.timestamp, signature) returns (uint256 tier) {
            assert(mustSucceed && tier == tierByHand(score));
            bestScore[agentId] = score;
        } catch {
            assert(!mustSucceed);
        }
    }

    function upgradeNft(uint256 agentSeed, uint256 score, bool isOwner) external {
        uint256 agentId = agentSeed % AGENTS;
        score = bound(score, 0, 5_000);
        uint256 best = bestScore[agentId];
        // Random numbers would hardly ever meet the border.
        if (score % 3 == 0) score = best;
        address wallet = best == 0 || !isOwner ? address(0xE0) : nft.ownerOf(agentId);
        bytes memory signature = signNft(SIGNER_KEY, false, wallet, agentId, score, block.timestamp);
        bool mustSucceed = best != 0 && isOwner && score > best && !nft.paused();
        try nft.upgradeSigned(wallet, agentId, score, block.timestamp, signature) {
            assert(mustSucceed);
            bestScore[agentId] = score;
        } catch {
            assert(!mustSucceed);
        }
    }

    function transferNft(uint256 agentSeed, uint256 to) external {
        uint256 agentId = agentSeed % AGENTS;
        if (bestScore[agentId] == 0) return;
        address owner = nft.ownerOf(agentId);
        vm.prank(owner);
        nft.transferFrom(owner, actor(to), agentId);
    }

    function togglePause(bool ofIdentity) external {
        bool isPaused = ofIdentity ? identity.paused() : nft.paused();
        vm.prank(isPaused ? ADMIN : GUARDIAN);
        if (ofIdentity) isPaused ? identity.unpause() : identity.pause();
        else isPaused ? nft.unpause() : nft.pause();
    }

    function travel(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 2 days));
    }
}
