// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC8004IdentityRegistry} from "../../../contracts/interfaces/IERC8004IdentityRegistry.sol";
import {ArcadeTest} from "./ArcadeTest.sol";
import {bound, vm} from "./Vm.sol";

/// @title What wallets may do to identities and game tokens, in any order
/// @notice Every call knows whether it had to succeed, from books that are kept beside the contracts'.
contract TokensHandler is ArcadeTest {
    uint256 public constant ACTORS = 4;
    /// @dev Few identities, so that random calls meet the same ones again and again.
    uint256 private constant MOST_AGENTS = 8;
    uint256 private constant ACTOR_KEY = 0xAC7000;

    mapping(uint256 => uint256) public bestScore;
    mapping(uint256 => bool) public hasToken;
    mapping(address => uint256) public nonces;
    mapping(address => uint256) public primaryOf;
    mapping(address => uint256) public sinceOf;
    uint256 public minted;
    uint256 public upgrades;

    address[] private _actors;

    constructor() {
        deployArcade();
        for (uint256 i = 0; i < ACTORS; ++i) _actors.push(vm.addr(ACTOR_KEY + i));
        vm.prank(ADMIN);
        identity.setOpenRegistration(true);
        // A token that can be raised from the first call on: no run is without an upgrade.
        uint256 agentId = mintIdentity(actor(0));
        nonces[actor(0)] = 1;
        bookMint(actor(0));
        nft.mintSigned(
            actor(0),
            agentId,
            100,
            block.timestamp,
            signNft(SIGNER_KEY, true, actor(0), agentId, 100, block.timestamp)
        );
        (bestScore[agentId], hasToken[agentId]) = (100, true);
    }

    function actor(uint256 seed) public view returns (address) {
        return _actors[seed % ACTORS];
    }

    function contracts() external view returns (address, address) {
        return (address(identity), address(nft));
    }

    function mintIdentity(uint256 who, bytes32 digest, uint256 seed) external {
        if (minted == MOST_AGENTS) return;
        address wallet = actor(who);
        bool isForged = seed % 8 == 7;
        bytes memory signature = signMint(isForged ? 0xBAD : SIGNER_KEY, wallet, digest, block.timestamp);
        vm.prank(wallet);
        try identity.mintIdentityWithSignature(wallet, digest, block.timestamp, signature) returns (uint256 agentId) {
            assert(!isForged && !identity.paused() && agentId == minted + 1);
            nonces[wallet] += 1;
            bookMint(wallet);
        } catch {
            assert(isForged || identity.paused());
        }
    }

    /// @dev Sent by a sponsor: counts only with the wallet's own signature.
    function mintFor(uint256 who, bytes32 digest, uint256 consentSeed) external {
        if (minted == MOST_AGENTS) return;
        address wallet = actor(who);
        bytes memory signature = signMint(SIGNER_KEY, wallet, digest, block.timestamp);
        bytes memory consent = signConsent(ACTOR_KEY + (consentSeed % ACTORS), wallet, digest, block.timestamp);
        bool mustSucceed = actor(consentSeed) == wallet && !identity.paused();
        try identity.mintIdentityFor(wallet, digest, block.timestamp, signature, consent) returns (uint256 agentId) {
            assert(mustSucceed && agentId == minted + 1);
            nonces[wallet] += 1;
            bookMint(wallet);
        } catch {
            assert(!mustSucceed);
        }
    }

    function registerOpenly(uint256 who) external {
        if (identity.paused() || minted == MOST_AGENTS) return;
        vm.prank(actor(who));
        assert(IERC8004IdentityRegistry(address(identity)).register("u") == minted + 1);
        bookMint(actor(who));
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
        if (owner != actor(to) && primaryOf[owner] == agentId) (primaryOf[owner], sinceOf[owner]) = (0, 0);
    }

    function setPrimary(uint256 who, uint256 agentSeed) external {
        if (minted == 0) return;
        uint256 agentId = 1 + (agentSeed % minted);
        address wallet = actor(who);
        bool isOwner = identity.ownerOf(agentId) == wallet;
        vm.prank(wallet);
        try identity.setPrimaryIdentity(agentId) {
            assert(isOwner);
            if (primaryOf[wallet] != agentId) (primaryOf[wallet], sinceOf[wallet]) = (agentId, block.timestamp);
        } catch {
            assert(!isOwner);
        }
    }

    function mintNft(uint256 who, uint256 agentSeed, uint256 score) external {
        // Also ids that do not exist: zero and the next one.
        uint256 agentId = agentSeed % (minted + 2);
        score = bound(score, 0, 5_000);
        bool exists = agentId != 0 && agentId <= minted;
        address wallet = exists && who % 4 != 0 ? identity.ownerOf(agentId) : actor(who);
        bytes memory signature = signNft(SIGNER_KEY, true, wallet, agentId, score, block.timestamp);
        bool mustSucceed =
            exists &&
                identity.ownerOf(agentId) == wallet &&
                !hasToken[agentId] &&
                tierByHand(score) != 0 &&
                !nft.paused();
        try nft.mintSigned(wallet, agentId, score, block.timestamp, signature) returns (uint256 tier) {
            assert(mustSucceed && tier == tierByHand(score));
            (bestScore[agentId], hasToken[agentId]) = (score, true);
        } catch {
            assert(!mustSucceed);
        }
    }

    function upgradeNft(uint256 agentSeed, uint256 score, uint256 seed) external {
        uint256 agentId = agentSeed % (minted + 1);
        uint256 best = bestScore[agentId];
        bool isOwner = seed % 8 != 7;
        // Mostly a little more; also the same score, and any.
        if (seed % 4 == 0) score = seed % 8 == 0 ? best : bound(score, 0, 5_000);
        else score = best + bound(score, 1, 500);
        address wallet = !hasToken[agentId] || !isOwner ? address(0xE0) : nft.ownerOf(agentId);
        bytes memory signature = signNft(SIGNER_KEY, false, wallet, agentId, score, block.timestamp);
        bool mustSucceed = hasToken[agentId] && isOwner && score > best && tierByHand(score) != 0 && !nft.paused();
        try nft.upgradeSigned(wallet, agentId, score, block.timestamp, signature) {
            assert(mustSucceed);
            bestScore[agentId] = score;
            upgrades += 1;
        } catch {
            assert(!mustSucceed);
        }
    }

    function annulNft(uint256 agentSeed, uint256 seed) external {
        uint256 agentId = agentSeed % (minted + 1);
        if (seed % 4 != 0 || !hasToken[agentId]) return;
        // The same token twice, as a list of two.
        uint256[] memory ids = new uint256[](2);
        (ids[0], ids[1]) = (agentId, agentId);
        vm.prank(GUARDIAN);
        nft.annul(ids);
        bestScore[agentId] = 0;
    }

    function transferNft(uint256 agentSeed, uint256 to) external {
        uint256 agentId = agentSeed % (minted + 1);
        if (!hasToken[agentId]) return;
        address owner = nft.ownerOf(agentId);
        vm.prank(owner);
        nft.transferFrom(owner, actor(to), agentId);
    }

    function togglePause(bool ofIdentity, uint256 seed) external {
        bool isPaused = ofIdentity ? identity.paused() : nft.paused();
        if (!isPaused && seed % 6 != 0) return;
        vm.prank(isPaused ? ADMIN : GUARDIAN);
        if (ofIdentity) isPaused ? identity.unpause() : identity.pause();
        else isPaused ? nft.unpause() : nft.pause();
    }

    function travel(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 2 days));
    }

    function bookMint(address wallet) private {
        minted += 1;
        if (primaryOf[wallet] == 0) (primaryOf[wallet], sinceOf[wallet]) = (minted, block.timestamp);
    }
}
