// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RewardsUnderTest} from "./helpers/UnderTest.sol";
import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IGameNFT} from "../../contracts/interfaces/IGameNFT.sol";
import {IRewardsEvents} from "../../contracts/interfaces/IRewardsEvents.sol";
import {IRewardsV2} from "../../contracts/interfaces/IRewardsV2.sol";
import {ISignedCalls} from "../../contracts/interfaces/ISignedCalls.sol";
import {ArcadeTest} from "./helpers/ArcadeTest.sol";
import {bound, vm} from "./helpers/Vm.sol";

/// @title Every signed entry point, over all its inputs
contract FuzzSignedCalls is ArcadeTest {
    function setUp() public {
        deployArcade();
    }

    function testFuzzMintIdentity(address to, bytes32 digest, uint256 ahead) public {
        vm.assume(to != address(0));
        uint256 deadline = block.timestamp + bound(ahead, 0, 1 days);
        bytes memory signature = signMint(SIGNER_KEY, to, digest, deadline);
        vm.prank(to);
        assert(identity.mintIdentityWithSignature(to, digest, deadline, signature) == 1);
        assert(identity.ownerOf(1) == to && identity.primaryIdentity(to) == 1 && identity.balanceOf(to) == 1);
        assert(identity.mintNonces(to) == 1 && identity.metadataDigest(1) == digest);
        if (digest != 0) assert(keccak256(bytes(identity.tokenURI(1))) == keccak256(bytes(uriByHand(digest))));
        vm.prank(to);
        vm.expectPartialRevert(ISignedCalls.InvalidSignature.selector);
        identity.mintIdentityWithSignature(to, digest, deadline, signature);
    }

    function testFuzzDeadline(uint256 deadline) public {
        bytes memory signature = signMint(SIGNER_KEY, address(this), "d", deadline);
        if (deadline < block.timestamp) vm.expectPartialRevert(ISignedCalls.DeadlineExpired.selector);
        else if (deadline > block.timestamp + 1 days) vm.expectPartialRevert(ISignedCalls.DeadlineTooFar.selector);
        identity.mintIdentityWithSignature(address(this), "d", deadline, signature);
    }

    function testFuzzForeignKey(uint256 key) public {
        key = bound(key, 1, 2 ** 250);
        vm.assume(key != SIGNER_KEY);
        uint256 deadline = block.timestamp;
        bytes memory signature = signMint(key, address(this), "d", deadline);
        vm.expectPartialRevert(ISignedCalls.InvalidSignature.selector);
        identity.mintIdentityWithSignature(address(this), "d", deadline, signature);
        signature = signNft(key, true, address(this), 1, 500, deadline);
        vm.expectPartialRevert(ISignedCalls.InvalidSignature.selector);
        nft.mintSigned(address(this), 1, 500, deadline, signature);
        signature = signSnapshot(rewards, key, address(this), 1, hashOf(1), deadline);
        vm.expectPartialRevert(ISignedCalls.InvalidSignature.selector);
        rewards.snapshotScoreSigned(address(this), GAME_ID, 1, hashOf(1), deadline, signature);
    }

    function testFuzzRandomSignature(bytes calldata signature, uint256 score, bytes32 hash) public {
        vm.expectPartialRevert(ISignedCalls.InvalidSignature.selector);
        rewards.snapshotScoreSigned(address(this), GAME_ID, score, hash, block.timestamp, signature);
        vm.expectPartialRevert(ISignedCalls.InvalidSignature.selector);
        nft.upgradeSigned(address(this), 1, score, block.timestamp, signature);
    }

    function testFuzzMintAndUpgradeNft(address wallet, uint256 score, uint256 next) public {
        vm.assume(wallet != address(0));
        uint256 agentId = mintIdentity(wallet);
        score = bound(score, 0, type(uint32).max);
        next = next % 3 == 0 ? score : bound(next, 0, type(uint32).max);
        bytes memory signature = signNft(SIGNER_KEY, true, wallet, agentId, score, block.timestamp);
        if (tierByHand(score) == 0) vm.expectPartialRevert(IGameNFT.ScoreBelowFirstTier.selector);
        nft.mintSigned(wallet, agentId, score, block.timestamp, signature);
        if (tierByHand(score) == 0) return;
        expectRecord(agentId, wallet, score, 0);
        signature = signNft(SIGNER_KEY, false, wallet, agentId, next, block.timestamp);
        if (next <= score) vm.expectPartialRevert(IGameNFT.ScoreNotHigher.selector);
        nft.upgradeSigned(wallet, agentId, next, block.timestamp, signature);
        expectRecord(agentId, wallet, next > score ? next : score, next > score ? 1 : 0);
    }

    /// @dev A message of the right key mints nothing for a wallet that does not own the identity, for any id.
    function testFuzzMintNftWithoutIdentity(address wallet, address owner, uint256 agentId) public {
        vm.assume(wallet != address(0) && owner != address(0) && wallet != owner);
        uint256 owned = mintIdentity(owner);
        bytes memory signature = signNft(SIGNER_KEY, true, wallet, owned, 500, block.timestamp);
        vm.expectPartialRevert(IGameNFT.NotIdentityOwner.selector);
        nft.mintSigned(wallet, owned, 500, block.timestamp, signature);
        vm.assume(agentId != owned);
        signature = signNft(SIGNER_KEY, true, wallet, agentId, 500, block.timestamp);
        vm.expectPartialRevert(IERC721Errors.ERC721NonexistentToken.selector);
        nft.mintSigned(wallet, agentId, 500, block.timestamp, signature);
    }

    function testFuzzSnapshot(address wallet, uint256 score, bytes32 hash) public {
        score = bound(score, 1, MAX_SCORE);
        bytes memory signature = signSnapshot(rewards, SIGNER_KEY, wallet, score, hash, block.timestamp);
        rewards.snapshotScoreSigned(wallet, GAME_ID, score, hash, block.timestamp, signature);
        assert(rewards.getScorebank(wallet) == score && rewards.isSessionConsumed(wallet, hash));
        // The same sequence under another hash.
        bytes32 twin = bytes32(uint256(hash) ^ (1 << 200));
        signature = signSnapshot(rewards, SIGNER_KEY, wallet, score, twin, block.timestamp);
        vm.expectPartialRevert(IRewardsEvents.SessionAlreadyConsumed.selector);
        rewards.snapshotScoreSigned(wallet, GAME_ID, score, twin, block.timestamp, signature);
        // The neighbor is unchanged.
        assert(!rewards.isSessionConsumed(wallet, bytes32(uint256(hash) ^ 1)));
    }

    /// @dev A batch leaves the same account and the same consumed sessions as one call for each of its items.
    function testFuzzBatchEqualsSingles(
        address wallet,
        uint64[8] calldata sequences,
        uint256[8] calldata scores
    ) public {
        RewardsUnderTest twin = deployRewards();
        IRewardsV2.Item[] memory items = new IRewardsV2.Item[](8);
        bool isRefused = false;
        for (uint256 i = 0; i < 8; ++i) {
            uint64 sequence = uint64(bound(sequences[i], 0, 600));
            items[i] = IRewardsV2.Item(hashOf(sequence), GAME_ID, bound(scores[i], 1, MAX_SCORE));
            bytes memory single = signSnapshot(
                twin,
                SIGNER_KEY,
                wallet,
                items[i].score,
                hashOf(sequence),
                block.timestamp
            );
            if (twin.isSessionConsumed(wallet, hashOf(sequence))) isRefused = true;
            else twin.snapshotScoreSigned(wallet, GAME_ID, items[i].score, hashOf(sequence), block.timestamp, single);
        }
        bytes memory signature = signBatch(rewards, SIGNER_KEY, wallet, items, block.timestamp);
        if (isRefused) vm.expectPartialRevert(IRewardsEvents.SessionAlreadyConsumed.selector);
        rewards.snapshotScoresSigned(wallet, items, block.timestamp, signature);
        if (isRefused) {
            assert(rewards.getScorebank(wallet) == 0);
            return;
        }
        assert(keccak256(abi.encode(rewards.accountOf(wallet))) == keccak256(abi.encode(twin.accountOf(wallet))));
        for (uint256 i = 0; i < 8; ++i) assert(rewards.isSessionConsumed(wallet, items[i].gameSessionHash));
    }

    function expectRecord(uint256 agentId, address wallet, uint256 score, uint256 upgrades) private view {
        IGameNFT.Record memory record = nft.recordOf(agentId);
        assert(nft.ownerOf(agentId) == wallet);
        assert(record.score == score && record.tier == tierByHand(score) && record.upgrades == upgrades);
        uint256 minute = block.timestamp - (block.timestamp % 1 minutes);
        assert(record.mintedAt == minute && record.upgradedAt == (upgrades == 0 ? 0 : minute));
    }

    /// @dev One digit after the other.
    function uriByHand(bytes32 digest) private pure returns (string memory) {
        bytes memory digits = new bytes(64);
        for (uint256 i = 0; i < 64; ++i) {
            uint8 nibble = uint8(uint256(digest) >> (252 - 4 * i)) & 0xf;
            digits[i] = bytes1(nibble + (nibble < 10 ? 48 : 87));
        }
        return string.concat(BASE, string(digits), ".json");
    }
}
