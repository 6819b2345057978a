// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsV2} from "../../interfaces/IRewardsV2.sol";
import {ArcadeTest} from "./ArcadeTest.sol";
import {bound, vm} from "./Vm.sol";

/// @title What wallets, thieves, guardian and admin may do to the rewards, in any order
/// @dev Keeps its own books beside the contract's, and knows of every call whether it had to succeed.
contract RewardsHandler is ArcadeTest {
    uint256 public constant ACTORS = 4;

    mapping(address => uint256) public accepted;
    mapping(address => uint256) public paid;
    mapping(address => mapping(uint64 => bool)) public used;
    mapping(uint256 => uint256) public paidOnDay;
    mapping(uint256 => uint256) public paidInWeek;
    mapping(address => uint256) public firstAt;
    mapping(address => uint256) public lastAt;
    uint256 public floatByHand = FLOAT;
    uint256 public payouts;

    uint256[] private _revokedKeys;
    uint256 private _nextKey = 0xBEE;
    uint256 private _key = SIGNER_KEY;
    uint256 private _alternateKey;
    uint256 private _alternateFrom;

    constructor() {
        deployArcade();
        for (uint256 i = 0; i < ACTORS; ++i) {
            // The last actor has no identity.
            if (i == ACTORS - 1) continue;
            bytes memory signature = signMint(SIGNER_KEY, actor(i), "d", block.timestamp);
            vm.prank(actor(i));
            identity.mintIdentityWithSignature(actor(i), "d", block.timestamp, signature);
        }
    }

    function actor(uint256 seed) public pure returns (address) {
        return address(uint160(0x1000 + (seed % ACTORS)));
    }

    function contracts() external view returns (address, address) {
        return (address(token), address(rewards));
    }

    function snapshot(uint256 who, uint256 sequenceSeed, uint256 score, uint256 keySeed) external {
        (uint256 key, bool isAccepted) = pickKey(keySeed);
        uint64 sequence = uint64(sequenceSeed % 300);
        address wallet = actor(who);
        score = bound(score, 0, MAX_SCORE + 1);
        bytes memory signature = signSnapshot(rewards, key, wallet, score, hashOf(sequence), block.timestamp);
        bool mustSucceed =
            isAccepted && !rewards.paused() && !used[wallet][sequence] && score != 0 && score <= MAX_SCORE;
        try rewards.snapshotScoreSigned(wallet, GAME_ID, score, hashOf(sequence), block.timestamp, signature) {
            assert(mustSucceed);
            book(wallet, sequence, score);
        } catch {
            assert(!mustSucceed);
        }
    }

    function snapshotBatch(uint256 who, uint64 from, uint8 size, uint256 score) external {
        address wallet = actor(who);
        uint256 count = bound(size, 0, 5);
        score = bound(score, 1, MAX_SCORE);
        IRewardsV2.Item[] memory items = new IRewardsV2.Item[](count);
        (uint256 key, bool mustSucceed) = pickKey(0);
        mustSucceed = mustSucceed && count != 0 && !rewards.paused();
        for (uint256 i = 0; i < count; ++i) {
            uint64 sequence = uint64((from % 300) + i);
            items[i] = IRewardsV2.Item(hashOf(sequence), GAME_ID, score);
            if (used[wallet][sequence]) mustSucceed = false;
        }
        bytes memory signature = signBatch(rewards, key, wallet, items, block.timestamp);
        try rewards.snapshotScoresSigned(wallet, items, block.timestamp, signature) {
            assert(mustSucceed);
            for (uint256 i = 0; i < count; ++i) book(wallet, uint64((from % 300) + i), score);
        } catch {
            assert(!mustSucceed);
        }
    }

    function payout(uint256 who, uint256 sender) external {
        address wallet = actor(who);
        uint256 score = rewards.getScorebank(wallet);
        bool isAllowed = sender % 3 != 2;
        bool mustSucceed = isAllowed && isPayable(wallet, score);
        (bool ready, uint256 reasons, , uint256 amount) = rewards.readiness(wallet);
        assert(ready == (reasons == 0) && ready == isPayable(wallet, score) && amount == score * RATE);
        vm.prank(isAllowed ? (sender % 3 == 0 ? wallet : OPERATOR) : address(this));
        try rewards.payout(wallet) returns (uint256 transferred) {
            assert(mustSucceed && transferred == amount);
            paid[wallet] += score;
            paidOnDay[today()] += score;
            paidInWeek[week()] += score;
            lastAt[wallet] = block.timestamp;
            floatByHand -= amount;
            payouts += 1;
        } catch {
            assert(!mustSucceed);
        }
    }

    function travel(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 2 days));
    }

    function togglePause() external {
        bool isPaused = rewards.paused();
        vm.prank(isPaused ? ADMIN : GUARDIAN);
        if (isPaused) rewards.unpause();
        else rewards.pause();
        // Anybody else is refused.
        if (isPaused) assert(!tryAs(GUARDIAN, abi.encodeCall(rewards.unpause, ())) || !rewards.paused());
    }

    function setCaps(uint256 daily, uint256 weekly) external {
        daily = bound(daily, 0, 60_000) * RATE;
        weekly = bound(weekly, 0, 120_000) * RATE;
        (uint256 oldDaily, uint256 oldWeekly) = rewards.caps();
        bool byGuardian = tryAs(GUARDIAN, abi.encodeCall(rewards.setCaps, (daily, weekly)));
        assert(byGuardian == (daily <= oldDaily && weekly <= oldWeekly));
        vm.prank(ADMIN);
        rewards.setCaps(daily, weekly);
    }

    function cancel(uint256 who, uint256 sequenceSeed) external {
        address wallet = actor(who);
        uint64 sequence = uint64(sequenceSeed % 300);
        bool ok = tryAs(GUARDIAN, abi.encodeCall(rewards.cancelSession, (wallet, hashOf(sequence))));
        assert(ok == !used[wallet][sequence]);
        used[wallet][sequence] = true;
    }

    /// @dev One step of a rotation: schedule, promote, or revoke a signer.
    function rotate(uint256 step) external {
        if (_alternateKey == 0) {
            _alternateKey = ++_nextKey;
            _alternateFrom = block.timestamp + 1 days;
            vm.prank(ADMIN);
            rewards.scheduleSigner(vm.addr(_alternateKey), false);
        } else if (step % 2 == 0) {
            bool ok = tryAs(ADMIN, abi.encodeCall(rewards.promoteSigner, ()));
            assert(ok == (block.timestamp >= _alternateFrom));
            if (ok) (_key, _alternateKey) = (_alternateKey, _key);
        } else {
            uint256 gone = _alternateKey;
            if (step % 4 == 1 && _key != 0) (gone, _key) = (_key, 0);
            else _alternateKey = 0;
            vm.prank(GUARDIAN);
            rewards.revokeSigner(vm.addr(gone));
            _revokedKeys.push(gone);
        }
    }

    function moveFloat(uint256 amount, bool isIn) external {
        if (isIn) {
            amount = bound(amount, 0, token.balanceOf(address(this)) / 100);
            token.approve(address(rewards), amount);
            rewards.fund(amount);
            floatByHand += amount;
        } else {
            amount = bound(amount, 0, floatByHand);
            vm.prank(ADMIN);
            rewards.withdraw(address(this), amount);
            floatByHand -= amount;
        }
    }

    function leftToday() external view returns (uint256 daily, uint256 weekly) {
        (uint256 dailyCap, uint256 weeklyCap) = rewards.caps();
        uint256 day = paidOnDay[today()] * RATE;
        uint256 inWeek = paidInWeek[week()] * RATE;
        daily = dailyCap > day ? dailyCap - day : 0;
        weekly = weeklyCap > inWeek ? weeklyCap - inWeek : 0;
    }

    function book(address wallet, uint64 sequence, uint256 score) private {
        used[wallet][sequence] = true;
        accepted[wallet] += score;
        if (firstAt[wallet] == 0) firstAt[wallet] = block.timestamp;
    }

    function isPayable(address wallet, uint256 score) private view returns (bool) {
        (uint256 daily, uint256 weekly) = this.leftToday();
        uint256 from = lastAt[wallet] == 0 ? firstAt[wallet] : lastAt[wallet];
        return
            !rewards.paused() &&
            wallet != actor(ACTORS - 1) &&
            score >= MIN_SCORE &&
            block.timestamp >= from + COOLDOWN &&
            score * RATE <= daily &&
            score * RATE <= weekly &&
            score * RATE <= floatByHand;
    }

    /// @dev Mostly a key that counts, sometimes a stranger's or one that was revoked.
    function pickKey(uint256 seed) private view returns (uint256 key, bool isAccepted) {
        bool isAlternateValid = _alternateKey != 0 && block.timestamp >= _alternateFrom;
        if (seed % 8 == 7) return (0xBAD, false);
        if (seed % 8 == 6 && _revokedKeys.length != 0) return (_revokedKeys[seed % _revokedKeys.length], false);
        if (seed % 8 == 5 && _alternateKey != 0) return (_alternateKey, isAlternateValid);
        return _key == 0 ? (_alternateKey == 0 ? 0xBAD : _alternateKey, isAlternateValid) : (_key, true);
    }

    function tryAs(address sender, bytes memory data) private returns (bool ok) {
        vm.prank(sender);
        // solhint-disable-next-line avoid-low-level-calls
        (ok, ) = address(rewards).call(data);
    }

    function today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }

    function week() private view returns (uint256) {
        return (block.timestamp + 3 days) / 7 days;
    }
}
