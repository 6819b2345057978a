// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {GameNFTUnderTest, IdentityUnderTest, RewardsUnderTest} from "./UnderTest.sol";
import {ISignerRotation} from "../../../contracts/interfaces/ISignerRotation.sol";
import {IRewardsV2} from "../../../contracts/interfaces/IRewardsV2.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {vm} from "./Vm.sol";

/// @title The four contracts and who signs for them
abstract contract ArcadeTest {
    uint256 internal constant SIGNER_KEY = 0xA11CE;
    uint256 internal constant RATE = 1e18;
    uint256 internal constant COOLDOWN = 1 days;
    uint256 internal constant MIN_SCORE = 10;
    uint256 internal constant MAX_SCORE = 10_000;
    uint256 internal constant MAX_PAYOUT = 15_000 * RATE;
    uint256 internal constant DAILY_CAP = 20_000 * RATE;
    uint256 internal constant WEEKLY_CAP = 50_000 * RATE;
    uint256 internal constant SUPPLY = 10_000_000 * RATE;
    uint256 internal constant FLOAT = 1_000_000 * RATE;
    bytes32 internal constant GAME_ID = "flappybots";
    string internal constant BASE = "https://arcade.example/api/metadata/identity/";

    address internal constant ADMIN = address(0xAD);
    address internal constant GUARDIAN = address(0x6A);
    address internal constant OPERATOR = address(0x09);

    IERC20 internal token;
    IdentityUnderTest internal identity;
    GameNFTUnderTest internal nft;
    RewardsUnderTest internal rewards;

    function deployArcade() internal {
        vm.warp(2_000_000_000);
        token = IERC20(deploy("RewardToken", abi.encode("Arcade Token", "ARCD", SUPPLY, address(this))));
        identity = IdentityUnderTest(
            deploy("AgentIdentity", abi.encode(dutiesOf(SIGNER_KEY), "Agent Identity", "AGENT", BASE))
        );
        nft = GameNFTUnderTest(
            deploy(
                "GameNFT",
                abi.encode(
                    dutiesOf(SIGNER_KEY),
                    identity,
                    "flappybots",
                    "Wings",
                    "WINGS",
                    thresholdList(),
                    "u/",
                    ADMIN,
                    250
                )
            )
        );
        rewards = deployRewards();
        token.approve(address(rewards), FLOAT);
        rewards.fund(FLOAT);
    }

    function mintIdentity(address wallet) internal returns (uint256) {
        bytes memory signature = signMint(SIGNER_KEY, wallet, "d", block.timestamp);
        vm.prank(wallet);
        return identity.mintIdentityWithSignature(wallet, "d", block.timestamp, signature);
    }

    function deployRewards() internal returns (RewardsUnderTest) {
        IRewardsV2.Limits memory limits = IRewardsV2.Limits(
            RATE,
            COOLDOWN,
            MIN_SCORE,
            MAX_SCORE,
            MAX_PAYOUT,
            DAILY_CAP,
            WEEKLY_CAP
        );
        return
            RewardsUnderTest(deploy("RewardsV2", abi.encode(dutiesOf(SIGNER_KEY), OPERATOR, token, identity, limits)));
    }

    /// @dev Deploys the artifact itself: `new` would compile every contract again into each test.
    function deploy(string memory name, bytes memory args) internal returns (address deployed) {
        bytes memory code = bytes.concat(vm.getCode(string.concat(name, ".sol:", name)), args);
        assembly ("memory-safe") {
            deployed := create(0, add(code, 0x20), mload(code))
        }
        assert(deployed != address(0));
    }

    function dutiesOf(uint256 key) internal pure returns (ISignerRotation.Duties memory) {
        return ISignerRotation.Duties(ADMIN, 1 days, GUARDIAN, vm.addr(key), false, 1 days);
    }

    function thresholdList() internal pure returns (uint256[] memory list) {
        list = new uint256[](3);
        (list[0], list[1], list[2]) = (100, 500, 2_000);
    }

    /// @dev Counts instead of the packed comparison of the contract.
    function tierByHand(uint256 score) internal pure returns (uint256 tier) {
        uint256[] memory list = thresholdList();
        for (uint256 i = 0; i < list.length; ++i) if (score >= list[i]) tier = i + 1;
    }

    function hashOf(uint64 sequence) internal pure returns (bytes32) {
        return bytes32((uint256(keccak256(abi.encode("session", sequence))) << 64) | sequence);
    }

    function signMint(uint256 key, address to, bytes32 digest, uint256 deadline) internal view returns (bytes memory) {
        bytes32 typeHash = keccak256("MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)");
        bytes32 message = keccak256(abi.encode(typeHash, to, digest, identity.mintNonces(to), deadline));
        return sign(key, "AgentIdentity", address(identity), message);
    }

    function signConsent(
        uint256 key,
        address to,
        bytes32 digest,
        uint256 deadline
    ) internal view returns (bytes memory) {
        bytes32 typeHash = keccak256("ConsentToMint(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)");
        bytes32 message = keccak256(abi.encode(typeHash, to, digest, identity.mintNonces(to), deadline));
        return sign(key, "AgentIdentity", address(identity), message);
    }

    function signNft(
        uint256 key,
        bool isMint,
        address wallet,
        uint256 agentId,
        uint256 score,
        uint256 deadline
    ) internal view returns (bytes memory) {
        bytes32 typeHash =
            isMint
                ? keccak256("MintGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)")
                : keccak256("UpgradeGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)");
        bytes32 message = keccak256(abi.encode(typeHash, wallet, agentId, score, deadline));
        return sign(key, "GameNFT:flappybots", address(nft), message);
    }

    function signSnapshot(
        RewardsUnderTest target,
        uint256 key,
        address wallet,
        uint256 score,
        bytes32 gameSessionHash,
        uint256 deadline
    ) internal view returns (bytes memory) {
        bytes32 typeHash = keccak256(
            "Snapshot(address wallet,bytes32 gameId,uint256 score,bytes32 gameSessionHash,uint256 deadline)"
        );
        bytes32 message = keccak256(abi.encode(typeHash, wallet, GAME_ID, score, gameSessionHash, deadline));
        return sign(key, "RewardsV2", address(target), message);
    }

    function signBatch(
        RewardsUnderTest target,
        uint256 key,
        address wallet,
        IRewardsV2.Item[] memory items,
        uint256 deadline
    ) internal view returns (bytes memory) {
        bytes memory hashes;
        for (uint256 i = 0; i < items.length; ++i) {
            bytes32 typeHash = keccak256("Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)");
            IRewardsV2.Item memory item = items[i];
            bytes32 itemHash = keccak256(abi.encode(typeHash, item.gameSessionHash, item.gameId, item.score));
            hashes = bytes.concat(hashes, itemHash);
        }
        bytes32 message = keccak256(
            abi.encode(
                keccak256(
                    "SnapshotBatch(address wallet,Item[] items,uint256 deadline)Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)"
                ),
                wallet,
                keccak256(hashes),
                deadline
            )
        );
        return sign(key, "RewardsV2", address(target), message);
    }

    /// @dev EIP-712 from its text, apart from what the contracts use.
    function sign(
        uint256 key,
        string memory name,
        address verifyingContract,
        bytes32 structHash
    ) internal view returns (bytes memory) {
        bytes32 separator = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                verifyingContract
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked("\x19\x01", separator, structHash)));
        return abi.encodePacked(r, s, v);
    }
}
