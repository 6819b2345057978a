// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsV2} from "../../../contracts/interfaces/IRewardsV2.sol";

// solhint-disable max-states-count

/// @title What the rewards must have in their books, in plain mappings
abstract contract RewardsBooks {
    uint256 public constant ACTORS = 4;
    uint256 internal constant SEQUENCES = 300;
    uint256 internal constant RATE_BY_HAND = 1e18;

    mapping(address => uint256) public accepted;
    mapping(address => uint256) public paid;
    mapping(address => uint256) public voided;
    mapping(address => mapping(uint64 => bool)) public used;
    mapping(address => mapping(uint64 => bool)) public cancelled;
    mapping(uint256 => uint256) public paidOnDay;
    mapping(uint256 => uint256) public paidInWeek;
    mapping(address => uint256) public firstAt;
    mapping(address => uint256) public lastAt;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public primaryOf;
    mapping(address => uint256) public sinceOf;
    uint256 public floatByHand = 1_000_000 * RATE_BY_HAND;
    uint256 public maxPayoutByHand = 15_000 * RATE_BY_HAND;
    uint256 public payouts;
    uint256 public portions;

    /// @dev Begins and ends of the pauses; the last one may have no end yet.
    uint256[] internal _pauseBegins;
    uint256[] internal _pauseEnds;
    uint256[] internal _revokedKeys;
    uint256 internal _nextKey = 0xBEE;
    uint256 internal _key = 0xA11CE;
    uint256 internal _alternateKey;
    uint256 internal _alternateFrom;
    address[] private _actors;

    function actor(uint256 seed) public view returns (address) {
        return _actors[seed % ACTORS];
    }

    function _setUpActors() internal {
        for (uint160 i = 0; i < ACTORS; ++i) _actors.push(address(0x1000 + i));
    }

    function book(address wallet, uint64 sequence, uint256 score, uint256 maxScore) internal {
        used[wallet][sequence] = true;
        accepted[wallet] += score < maxScore ? score : maxScore;
        if (firstAt[wallet] == 0) firstAt[wallet] = block.timestamp;
    }

    function bookPayout(address wallet, uint256 points, uint256 cooldown) internal {
        if (points < bankOf(wallet)) portions += 1;
        // Whatever the rule of pauses: a whole cooldown has passed outside of them.
        assert(secondsOutsidePauses(startOf(wallet)) >= cooldown && secondsOutsidePauses(sinceOf[wallet]) >= cooldown);
        paid[wallet] += points;
        paidOnDay[today()] += points;
        paidInWeek[week()] += points;
        lastAt[wallet] = block.timestamp;
        payouts += 1;
    }

    /// @dev The smallest of bank, bound of a payout, and what the caps leave.
    function payablePoints(IRewardsV2 rewards, address wallet) internal view returns (uint256 points) {
        (uint256 daily, uint256 weekly) = leftPoints(rewards);
        points = bankOf(wallet);
        if (points > maxPayoutByHand / RATE_BY_HAND) points = maxPayoutByHand / RATE_BY_HAND;
        if (points > daily) points = daily;
        if (points > weekly) points = weekly;
    }

    function isCooledDown(address wallet, uint256 cooldown) internal view returns (bool) {
        return block.timestamp >= afterPauses(startOf(wallet), cooldown) + cooldown;
    }

    function isIdentityOld(address wallet, uint256 cooldown) internal view returns (bool) {
        return primaryOf[wallet] != 0 && block.timestamp >= afterPauses(sinceOf[wallet], cooldown) + cooldown;
    }

    function bankOf(address wallet) internal view returns (uint256) {
        return accepted[wallet] - paid[wallet] - voided[wallet];
    }

    function leftPoints(IRewardsV2 rewards) internal view returns (uint256 daily, uint256 weekly) {
        (uint256 dailyCap, uint256 weeklyCap) = rewards.caps();
        daily = monus(dailyCap / RATE_BY_HAND, paidOnDay[today()]);
        weekly = monus(weeklyCap / RATE_BY_HAND, paidInWeek[week()]);
    }

    /// @dev A wait moves by the length of the last pause and of those before it that ended less than a cooldown before the
    /// next one, at most to the end of the last one.
    function afterPauses(uint256 from, uint256 cooldown) private view returns (uint256) {
        uint256 count = _pauseBegins.length;
        if (count == 0) return from;
        uint256 end = endOfPause(count - 1);
        if (from >= end) return from;
        for (uint256 i = count; i > 0; --i) {
            if (i < count && _pauseBegins[i] >= endOfPause(i - 1) + cooldown) break;
            from += endOfPause(i - 1) - _pauseBegins[i - 1];
        }
        return from < end ? from : end;
    }

    function secondsOutsidePauses(uint256 from) private view returns (uint256 time) {
        time = block.timestamp - from;
        for (uint256 i = 0; i < _pauseBegins.length; ++i) {
            time -= monus(endOfPause(i), from) - monus(_pauseBegins[i], from);
        }
    }

    function endOfPause(uint256 index) private view returns (uint256) {
        return index < _pauseEnds.length ? _pauseEnds[index] : block.timestamp;
    }

    function startOf(address wallet) private view returns (uint256) {
        return lastAt[wallet] == 0 ? firstAt[wallet] : lastAt[wallet];
    }

    function monus(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a - b : 0;
    }

    function today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }

    function week() private view returns (uint256) {
        return (block.timestamp + 3 days) / 7 days;
    }
}
