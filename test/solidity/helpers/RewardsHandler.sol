// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsV2} from "../../../contracts/interfaces/IRewardsV2.sol";
import {ArcadeTest} from "./ArcadeTest.sol";
import {RewardsBooks} from "./RewardsBooks.sol";
import {bound, vm} from "./Vm.sol";

/// @title What wallets, attackers, guardian and admin may do to the rewards, in any order
/// @notice Every call knows whether it had to succeed, from books that are kept beside the contract's.
contract RewardsHandler is ArcadeTest, RewardsBooks {
    /// @dev Each wallet's at the beginning, with the most points that one may have.
    uint64 private constant FIRST_SESSIONS = 4;

    constructor() {
        deployArcade();
        _setUpActors();
        for (uint256 i = 0; i < ACTORS - 1; ++i) {
            // The last actor has no identity at first.
            uint256 agentId = mintIdentity(actor(i));
            ownerOf[agentId] = actor(i);
            primaryOf[actor(i)] = agentId;
            sinceOf[actor(i)] = block.timestamp;
            // Points that can be paid from the first call on, and that one payout cannot take: no run is without a portion.
            for (uint64 sequence = 0; sequence < FIRST_SESSIONS; ++sequence) _bankMost(actor(i), sequence);
        }
        vm.warp(block.timestamp + COOLDOWN);
    }

    function _bankMost(address wallet, uint64 sequence) private {
        bytes32 hash = hashOf(sequence);
        bytes memory signature = signSnapshot(rewards, SIGNER_KEY, wallet, MAX_SCORE, hash, block.timestamp);
        rewards.snapshotScoreSigned(wallet, GAME_ID, MAX_SCORE, hash, block.timestamp, signature);
        book(wallet, sequence, MAX_SCORE, MAX_SCORE);
    }

    function contracts() external view returns (address, address) {
        return (address(token), address(rewards));
    }

    function snapshot(uint256 who, uint256 sequenceSeed, uint256 score, uint256 keySeed) external {
        (uint256 key, bool isAccepted) = pickKey(keySeed);
        uint64 sequence = uint64(sequenceSeed % SEQUENCES);
        address wallet = actor(who);
        score = keySeed % 16 == 0 ? uint256(type(uint40).max) + (score % 2) : bound(score, 0, MAX_SCORE + 2);
        bytes memory signature = signSnapshot(rewards, key, wallet, score, hashOf(sequence), block.timestamp);
        bool mustSucceed =
            isAccepted && !rewards.paused() && !used[wallet][sequence] && score != 0 && score <= type(uint40).max;
        try rewards.snapshotScoreSigned(wallet, GAME_ID, score, hashOf(sequence), block.timestamp, signature) {
            assert(mustSucceed);
            book(wallet, sequence, score, MAX_SCORE);
        } catch {
            assert(!mustSucceed);
        }
    }

    function snapshotBatch(uint256 who, uint64 from, uint8 size, uint256 score) external {
        address wallet = actor(who);
        uint256 count = bound(size, 0, 5);
        score = bound(score, 1, MAX_SCORE + 2);
        IRewardsV2.Item[] memory items = new IRewardsV2.Item[](count);
        (uint256 key, bool mustSucceed) = pickKey(0);
        mustSucceed = mustSucceed && count != 0 && !rewards.paused();
        for (uint256 i = 0; i < count; ++i) {
            uint64 sequence = uint64((from % SEQUENCES) + i);
            items[i] = IRewardsV2.Item(hashOf(sequence), GAME_ID, score);
            if (used[wallet][sequence]) mustSucceed = false;
        }
        bytes memory signature = signBatch(rewards, key, wallet, items, block.timestamp);
        try rewards.snapshotScoresSigned(wallet, items, block.timestamp, signature) {
            assert(mustSucceed);
            for (uint256 i = 0; i < count; ++i) book(wallet, uint64((from % SEQUENCES) + i), score, MAX_SCORE);
        } catch {
            assert(!mustSucceed);
        }
    }

    function payout(uint256 who, uint256 sender) external {
        address wallet = actor(who);
        uint256 points = payablePoints(rewards, wallet);
        bool mustBeReady =
            !rewards.paused() &&
                points >= MIN_SCORE &&
                isCooledDown(wallet, COOLDOWN) &&
                isIdentityOld(wallet, COOLDOWN) &&
                points * RATE <= floatByHand;
        (bool ready, uint256 reasons, , uint256 amount) = rewards.readiness(wallet);
        assert(ready == (reasons == 0) && ready == mustBeReady && amount == points * RATE);
        bool isAllowed = sender % 8 != 7;
        address caller = isAllowed ? (sender % 2 == 0 ? wallet : OPERATOR) : address(this);
        if (sender % 4 == 0) assert(!tryAs(caller, abi.encodeCall(rewards.payoutAtLeast, (wallet, amount + 1))));
        bool ok =
            sender % 4 == 0
                ? tryAs(caller, abi.encodeCall(rewards.payoutAtLeast, (wallet, amount)))
                : tryAs(caller, abi.encodeCall(rewards.payout, (wallet)));
        assert(ok == (isAllowed && mustBeReady));
        if (!ok) return;
        bookPayout(wallet, points, COOLDOWN);
        floatByHand -= amount;
    }

    /// @dev Time that `readiness` names is the time at which nothing but the float and the bank stands in the way.
    function payoutAtTheNamedTime(uint256 who) external {
        address wallet = actor(who);
        (bool ready, uint256 reasons, uint256 nextPayoutAt, ) = rewards.readiness(wallet);
        // In a pause it is the time that would hold if the pause ended now.
        if (ready || nextPayoutAt == 0 || rewards.paused()) return;
        assert(nextPayoutAt > block.timestamp && nextPayoutAt <= block.timestamp + 8 days);
        vm.warp(nextPayoutAt - 1);
        (ready, , , ) = rewards.readiness(wallet);
        assert(!ready);
        vm.warp(nextPayoutAt);
        (ready, reasons, nextPayoutAt, ) = rewards.readiness(wallet);
        // Scorebank, minimum, float, pause and a missing identity are not a matter of time.
        assert(nextPayoutAt == 0 && reasons & 0x11c == 0);
        assert(ready == (reasons & 0xe3 == 0));
    }

    function travel(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 1 days));
    }

    function togglePause(uint256 seed) external {
        bool isPaused = rewards.paused();
        if (!isPaused && seed % 6 != 0) return;
        if (isPaused) assert(!tryAs(GUARDIAN, abi.encodeCall(rewards.unpause, ())));
        // Pausing twice, or unpausing when not paused, changes nothing.
        if (seed % 4 == 0) assert(tryAs(isPaused ? GUARDIAN : ADMIN, isPaused ? pauseCall() : unpauseCall()));
        assert(tryAs(isPaused ? ADMIN : GUARDIAN, isPaused ? unpauseCall() : pauseCall()));
        (isPaused ? _pauseEnds : _pauseBegins).push(block.timestamp);
    }

    /// @dev Two wallets in one call: the first loses points, then both get back what they lost, or less.
    function voidPoints(uint256 who, uint256 points, uint256 back) external {
        (address one, address two) = (actor(who), actor((who % ACTORS) + 1));
        IRewardsV2.WalletPoints[] memory list = new IRewardsV2.WalletPoints[](2);
        if (points % 3 == 0) points = type(uint256).max;
        else points = bound(points, 0, 2 * bankOf(one));
        (list[0], list[1]) = (IRewardsV2.WalletPoints(one, points), IRewardsV2.WalletPoints(two, 0));
        assert(!tryAs(OPERATOR, abi.encodeCall(rewards.voidPoints, (list))));
        if (points % 4 != 0) {
            voided[one] += points < bankOf(one) ? points : bankOf(one);
            assert(tryAs(GUARDIAN, abi.encodeCall(rewards.voidPoints, (list))));
        }
        back = bound(back, 0, 2 * voided[two] + 1);
        (list[0].points, list[1].points) = (1, back);
        assert(!tryAs(GUARDIAN, abi.encodeCall(rewards.restorePoints, (list))));
        if (back % 4 != 0) return;
        if (voided[one] != 0) voided[one] -= 1;
        voided[two] -= back < voided[two] ? back : voided[two];
        assert(tryAs(ADMIN, abi.encodeCall(rewards.restorePoints, (list))));
    }

    function setLimits(uint256 daily, uint256 weekly, uint256 most) external {
        daily = bound(daily, 0, 60_000) * RATE;
        weekly = bound(weekly, daily / RATE, 180_000) * RATE;
        most = bound(most, MIN_SCORE, 30_000) * RATE;
        (uint256 oldDaily, uint256 oldWeekly) = rewards.caps();
        bool byGuardian = tryAs(GUARDIAN, abi.encodeCall(rewards.setCaps, (daily, weekly)));
        assert(byGuardian == (daily <= oldDaily && weekly <= oldWeekly));
        byGuardian = tryAs(GUARDIAN, abi.encodeCall(rewards.setMaxPayout, (most)));
        assert(byGuardian == (most <= maxPayoutByHand));
        maxPayoutByHand = most;
        vm.prank(ADMIN);
        rewards.setCaps(daily, weekly);
        vm.prank(ADMIN);
        rewards.setMaxPayout(most);
    }

    function cancel(uint256 who, uint256 sequenceSeed) external {
        address wallet = actor(who);
        uint64 sequence = uint64(sequenceSeed % SEQUENCES);
        bool ok = tryAs(GUARDIAN, abi.encodeCall(rewards.cancelSessions, (listOf(wallet, sequence))));
        assert(ok == !used[wallet][sequence]);
        if (ok) (used[wallet][sequence], cancelled[wallet][sequence]) = (true, true);
    }

    function restore(uint256 who, uint256 sequenceSeed) external {
        address wallet = actor(who);
        uint64 sequence = uint64(sequenceSeed % SEQUENCES);
        assert(!tryAs(GUARDIAN, abi.encodeCall(rewards.restoreSessions, (listOf(wallet, sequence)))));
        bool ok = tryAs(ADMIN, abi.encodeCall(rewards.restoreSessions, (listOf(wallet, sequence))));
        assert(ok == cancelled[wallet][sequence]);
        if (ok) (used[wallet][sequence], cancelled[wallet][sequence]) = (false, false);
    }

    /// @dev Moves an identity, or chooses one: a wallet that received one acts as it only after it chose it.
    function moveIdentity(uint256 agentSeed, uint256 to, uint256 choice) external {
        uint256 agentId = 1 + (agentSeed % (ACTORS - 1));
        address owner = ownerOf[agentId];
        if (choice % 4 != 0) {
            vm.prank(owner);
            identity.setPrimaryIdentity(agentId);
            if (primaryOf[owner] != agentId) (primaryOf[owner], sinceOf[owner]) = (agentId, block.timestamp);
            return;
        }
        vm.prank(owner);
        identity.transferFrom(owner, actor(to), agentId);
        ownerOf[agentId] = actor(to);
        if (owner != actor(to) && primaryOf[owner] == agentId) (primaryOf[owner], sinceOf[owner]) = (0, 0);
    }

    /// @dev One step of a rotation: schedule, promote, revoke a signer, or clear the ban of one.
    function rotate(uint256 step) external {
        if (_alternateKey == 0) {
            _alternateKey = step % 4 == 3 && _revokedKeys.length != 0 ? clearBan() : ++_nextKey;
            _alternateFrom = block.timestamp + 1 days;
            vm.prank(ADMIN);
            rewards.scheduleSigner(vm.addr(_alternateKey), false);
        } else if (step % 8 != 1) {
            bool ok = tryAs(ADMIN, abi.encodeCall(rewards.promoteSigner, ()));
            assert(ok == (block.timestamp >= _alternateFrom));
            if (ok) (_key, _alternateKey) = (_alternateKey, _key);
        } else {
            uint256 gone = _alternateKey;
            if (step % 16 == 1 && _key != 0) (gone, _key) = (_key, 0);
            else _alternateKey = 0;
            vm.prank(GUARDIAN);
            rewards.revokeSigner(vm.addr(gone));
            assert(!tryAs(ADMIN, abi.encodeCall(rewards.scheduleSigner, (vm.addr(gone), false))));
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
            amount = bound(amount, 0, floatByHand / 10);
            vm.prank(ADMIN);
            rewards.withdraw(address(this), amount);
            floatByHand -= amount;
        }
    }

    function primaryOfIdentity(address wallet) external view returns (uint256, uint256) {
        return identity.primary(wallet);
    }

    function leftToday() external view returns (uint256 daily, uint256 weekly) {
        (daily, weekly) = leftPoints(rewards);
        return (daily * RATE, weekly * RATE);
    }

    function clearBan() private returns (uint256 key) {
        key = _revokedKeys[_revokedKeys.length - 1];
        _revokedKeys.pop();
        assert(!tryAs(GUARDIAN, abi.encodeCall(rewards.clearSignerBan, (vm.addr(key)))));
        vm.prank(ADMIN);
        rewards.clearSignerBan(vm.addr(key));
    }

    /// @dev Mostly a key that counts, sometimes a foreign one or one that was revoked.
    function pickKey(uint256 seed) private view returns (uint256 key, bool isAccepted) {
        bool isAlternateValid = _alternateKey != 0 && block.timestamp >= _alternateFrom;
        if (seed % 8 == 7) return (0xBAD, false);
        if (seed % 8 == 6 && _revokedKeys.length != 0) return (_revokedKeys[seed % _revokedKeys.length], false);
        if (seed % 8 == 5 && _alternateKey != 0) return (_alternateKey, isAlternateValid);
        return _key == 0 ? (_alternateKey == 0 ? 0xBAD : _alternateKey, isAlternateValid) : (_key, true);
    }

    function listOf(address wallet, uint64 sequence) private pure returns (IRewardsV2.WalletSession[] memory list) {
        list = new IRewardsV2.WalletSession[](1);
        list[0] = IRewardsV2.WalletSession(wallet, hashOf(sequence));
    }

    function pauseCall() private view returns (bytes memory) {
        return abi.encodeCall(rewards.pause, ());
    }

    function unpauseCall() private view returns (bytes memory) {
        return abi.encodeCall(rewards.unpause, ());
    }

    function tryAs(address sender, bytes memory data) private returns (bool ok) {
        vm.prank(sender);
        // solhint-disable-next-line avoid-low-level-calls
        (ok, ) = address(rewards).call(data);
    }
}
