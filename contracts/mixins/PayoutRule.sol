// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IAgentIdentity} from "../interfaces/IAgentIdentity.sol";
import {IRewardsV2} from "../interfaces/IRewardsV2.sol";
import {PayoutReasons} from "../interfaces/PayoutReasons.sol";
import {PayoutWindow, min, weekOf} from "../types/PayoutWindow.sol";
import {ScoreAccount} from "../types/ScoreAccount.sol";
import {SignedCalls} from "./SignedCalls.sol";

/// @title Rule of payouts
/// @notice Accounts, limits, and the reasons against a payout; `payout` and `readiness` call the same function.
/// @dev Caps are kept in score points, so that all of them, what was paid, and the day fit one word.
abstract contract PayoutRule is IRewardsV2, SignedCalls {
    /// @notice The token that is paid.
    IERC20 public immutable token;
    /// @notice The identities; a paid wallet must have a primary one.
    IAgentIdentity public immutable identity;

    /// @inheritdoc IRewardsV2
    uint256 public immutable scoreToTokenRate;
    /// @inheritdoc IRewardsV2
    uint256 public immutable payoutCooldown;
    /// @inheritdoc IRewardsV2
    uint256 public immutable minScore;

    mapping(address wallet => ScoreAccount) internal _accounts;
    PayoutWindow internal _window;
    /// @dev When the present or the last pause began; earlier by the length of the pause before it if that one ended less
    /// than a cooldown before. Read only if a wait began before the end of the pause.
    uint256 private _pausedFrom;

    constructor(IERC20 token_, IAgentIdentity identity_, Limits memory limits) {
        if (address(token_) == address(0) || address(identity_) == address(0)) revert ZeroAddress();
        token = token_;
        identity = identity_;
        scoreToTokenRate = _within(limits.scoreToTokenRate, 1, type(uint128).max);
        payoutCooldown = _within(limits.payoutCooldown, 1, 365 days);
        minScore = _within(limits.minScore, 1, type(uint40).max);
    }

    /// @inheritdoc IRewardsV2
    function readiness(
        address wallet
    ) external view returns (bool ready, uint256 reasons, uint256 nextPayoutAt, uint256 amount) {
        ScoreAccount account = _accounts[wallet];
        PayoutWindow window = _windowNow();
        uint256 points = min(account.scorebank(), window.payableNow());
        amount = points * scoreToTokenRate;
        (, uint256 since) = identity.primary(wallet);
        reasons = _reasons(account, window, since, points, amount);
        ready = reasons == 0;
        nextPayoutAt = _nextPayoutAt(account, window, since, reasons);
    }

    /// @inheritdoc IRewardsV2
    function accountOf(address wallet) external view returns (Account memory) {
        return _accounts[wallet].unpack();
    }

    /// @inheritdoc IRewardsV2
    function getScorebank(address wallet) external view returns (uint256) {
        return _accounts[wallet].scorebank();
    }

    /// @inheritdoc IRewardsV2
    function firstPlayAt(address wallet) external view returns (uint256) {
        return _accounts[wallet].firstPlayAt();
    }

    /// @inheritdoc IRewardsV2
    function lastPayoutAt(address wallet) external view returns (uint256) {
        return _accounts[wallet].lastPayoutAt();
    }

    /// @inheritdoc IRewardsV2
    function maxPayout() external view returns (uint256) {
        return _window.maxPayout() * scoreToTokenRate;
    }

    /// @inheritdoc IRewardsV2
    function caps() external view returns (uint256 dailyCap, uint256 weeklyCap) {
        return (_window.dailyCap() * scoreToTokenRate, _window.weeklyCap() * scoreToTokenRate);
    }

    /// @inheritdoc IRewardsV2
    function lastPause() external view returns (uint256 from, uint256 until) {
        return (_pausedFrom, _window.resumedAt());
    }

    /// @inheritdoc IRewardsV2
    function getDailyRemaining() external view returns (uint256) {
        return _windowNow().dailyLeft() * scoreToTokenRate;
    }

    /// @inheritdoc IRewardsV2
    function getWeeklyRemaining() external view returns (uint256) {
        return _windowNow().weeklyLeft() * scoreToTokenRate;
    }

    /// @inheritdoc IRewardsV2
    function floatBalance() public view returns (uint256) {
        return token.balanceOf(address(this));
    }

    /// @dev The shared slot as of today: sums of days and weeks that have passed are zero.
    function _windowNow() internal view returns (PayoutWindow) {
        return _window.onDay(block.timestamp / 1 days);
    }

    function _setPaused(bool value) internal override {
        super._setPaused(value);
        PayoutWindow window = _window;
        if (value) {
            uint256 resumedAt = window.resumedAt();
            bool isSoon = block.timestamp < resumedAt + payoutCooldown;
            _pausedFrom = block.timestamp - (isSoon ? resumedAt - _pausedFrom : 0);
            _window = window.pause();
        } else {
            _window = window.resume(uint32(block.timestamp));
        }
    }

    /// @dev Bits of `PayoutReasons`; zero where the payout succeeds. `since` is the wallet's `primarySince`, `points` the
    /// smallest of its scorebank, `maxPayout`, and what the caps leave.
    function _reasons(
        ScoreAccount account,
        PayoutWindow window,
        uint256 since,
        uint256 points,
        uint256 amount
    ) internal view returns (uint256 reasons) {
        uint256 bank = account.scorebank();
        if (points < minScore) {
            // `maxPayout` is never below `minScore`, so the scorebank or a cap is.
            if (bank < minScore) reasons = bank == 0 ? PayoutReasons.SCOREBANK_EMPTY : PayoutReasons.BELOW_MINIMUM;
            if (window.dailyLeft() < minScore) reasons |= PayoutReasons.DAILY_CAP;
            if (window.weeklyLeft() < minScore) reasons |= PayoutReasons.WEEKLY_CAP;
        }
        if (bank != 0 && block.timestamp < _accountReadyAt(account, window)) reasons |= PayoutReasons.COOLDOWN_ACTIVE;
        if (floatBalance() < amount) reasons |= PayoutReasons.FLOAT_EMPTY;
        if (window.paused()) reasons |= PayoutReasons.PAUSED;
        if (since == 0) reasons |= PayoutReasons.IDENTITY_REQUIRED;
        else if (block.timestamp < _waitEnd(since, window)) reasons |= PayoutReasons.IDENTITY_TOO_NEW;
    }

    /// @dev Reverts with the error of the first reason. There is at least one.
    function _revertFor(
        uint256 reasons,
        address wallet,
        ScoreAccount account,
        PayoutWindow window,
        uint256 since,
        uint256 amount
    ) internal view {
        if (reasons & PayoutReasons.PAUSED != 0) revert EnforcedPause();
        if (reasons & PayoutReasons.SCOREBANK_EMPTY != 0) revert ScorebankEmpty(wallet);
        if (reasons & PayoutReasons.BELOW_MINIMUM != 0) revert BelowMinimum(account.scorebank(), minScore);
        if (reasons & PayoutReasons.IDENTITY_REQUIRED != 0) revert IdentityRequired(wallet);
        if (reasons & PayoutReasons.COOLDOWN_ACTIVE != 0) revert CooldownActive(_accountReadyAt(account, window));
        if (reasons & PayoutReasons.IDENTITY_TOO_NEW != 0) revert IdentityTooNew(wallet, _waitEnd(since, window));
        if (reasons & PayoutReasons.FLOAT_EMPTY != 0) revert FloatTooLow(floatBalance(), amount);
        assert(reasons & (PayoutReasons.DAILY_CAP | PayoutReasons.WEEKLY_CAP) == reasons);
        revert CapExceeded(min(window.dailyLeft(), window.weeklyLeft()) * scoreToTokenRate);
    }

    /// @dev Token base units in whole score points.
    function _toPoints(uint256 amount) internal view returns (uint256) {
        return _within(amount, 0, type(uint40).max * scoreToTokenRate) / scoreToTokenRate;
    }

    function _within(uint256 value, uint256 least, uint256 most) internal pure returns (uint256) {
        if (value < least || value > most) revert LimitOutOfRange(value, least, most);
        return value;
    }

    /// @dev The first cooldown begins with the first snapshot, so that the guardian has time to pause before points that
    /// were made with a stolen key are paid to fresh wallets.
    function _accountReadyAt(ScoreAccount account, PayoutWindow window) private view returns (uint256) {
        uint256 from = account.lastPayoutAt();
        if (from == 0) from = account.firstPlayAt();
        return _waitEnd(from, window);
    }

    /// @dev The end of a cooldown that began at `from`. The time of a pause does not count, so that points of a stolen key
    /// do not become payable in it; a wait that began in the pause begins with its end. As of now while it lasts.
    function _waitEnd(uint256 from, PayoutWindow window) private view returns (uint256) {
        uint256 pauseEnd = window.resumedAt();
        unchecked {
            if (from < pauseEnd) {
                pauseEnd = min(pauseEnd, block.timestamp);
                from = min(from + pauseEnd - _pausedFrom, pauseEnd);
            }
            return from + payoutCooldown;
        }
    }

    function _nextPayoutAt(
        ScoreAccount account,
        PayoutWindow window,
        uint256 since,
        uint256 reasons
    ) private view returns (uint256 time) {
        if (min(window.dailyCap(), window.weeklyCap()) < minScore) return 0;
        if (reasons & PayoutReasons.COOLDOWN_ACTIVE != 0) time = _accountReadyAt(account, window);
        if (reasons & PayoutReasons.IDENTITY_TOO_NEW != 0) time = _later(time, _waitEnd(since, window));
        if (reasons & PayoutReasons.DAILY_CAP != 0) time = _later(time, (window.day() + 1) * 1 days);
        // Day 0 was a Thursday, so week 0 began on day -3.
        if (reasons & PayoutReasons.WEEKLY_CAP != 0) {
            time = _later(time, ((weekOf(window.day()) + 1) * 7 - 3) * 1 days);
        }
    }

    function _later(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a : b;
    }
}
