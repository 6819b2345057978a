// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IAgentIdentity} from "../interfaces/IAgentIdentity.sol";
import {IRewardsV2} from "../interfaces/IRewardsV2.sol";
import {SignedCalls} from "./SignedCalls.sol";

/// @title The one rule of payouts
/// @dev Accounts, limits, and what stands in the way of a payout; `payout` and `readiness` ask the same function.
/// Caps are kept in score points, so that both, what was paid, and the day fit one slot.
abstract contract PayoutRule is IRewardsV2, SignedCalls {
    /// @dev What is shared by all payouts, in one slot. `paused` repeats the gate's flag, so that a payout does not
    /// read the gate.
    struct Window {
        uint48 paidToday;
        uint48 paidThisWeek;
        uint48 dailyCap;
        uint48 weeklyCap;
        uint32 day;
        bool paused;
    }

    uint256 internal constant SCOREBANK_EMPTY = 1 << 0;
    uint256 internal constant BELOW_MINIMUM = 1 << 1;
    uint256 internal constant COOLDOWN_ACTIVE = 1 << 2;
    uint256 internal constant DAILY_CAP = 1 << 3;
    uint256 internal constant WEEKLY_CAP = 1 << 4;
    uint256 internal constant FLOAT_EMPTY = 1 << 5;
    uint256 internal constant PAUSED = 1 << 6;
    uint256 internal constant IDENTITY_REQUIRED = 1 << 7;

    /// @notice The token that is paid.
    IERC20 public immutable token;
    /// @notice The identities a paid wallet must hold one of.
    IAgentIdentity public immutable identity;

    /// @inheritdoc IRewardsV2
    uint256 public immutable scoreToTokenRate;
    /// @inheritdoc IRewardsV2
    uint256 public immutable payoutCooldown;
    /// @inheritdoc IRewardsV2
    uint256 public immutable minScore;

    mapping(address wallet => Account) internal _accounts;
    Window internal _window;

    constructor(IERC20 token_, IAgentIdentity identity_, Limits memory limits) {
        if (address(token_) == address(0) || address(identity_) == address(0)) revert ZeroAddress();
        token = token_;
        identity = identity_;
        scoreToTokenRate = _within(limits.scoreToTokenRate, 1, type(uint128).max);
        payoutCooldown = _within(limits.payoutCooldown, 0, 365 days);
        minScore = _within(limits.minScore, 1, type(uint96).max);
    }

    /// @inheritdoc IRewardsV2
    function readiness(
        address wallet
    ) external view returns (bool ready, uint256 reasons, uint256 nextPayoutAt, uint256 amount) {
        Account memory account = _accounts[wallet];
        Window memory window = _windowNow();
        amount = account.scorebank * scoreToTokenRate;
        reasons = _reasons(wallet, account, window, amount);
        ready = reasons == 0;
        nextPayoutAt = _nextPayoutAt(account, window, reasons);
    }

    /// @inheritdoc IRewardsV2
    function accountOf(address wallet) external view returns (Account memory) {
        return _accounts[wallet];
    }

    /// @inheritdoc IRewardsV2
    function getScorebank(address wallet) external view returns (uint256) {
        return _accounts[wallet].scorebank;
    }

    /// @inheritdoc IRewardsV2
    function firstPlayAt(address wallet) external view returns (uint256) {
        return _accounts[wallet].firstPlayAt;
    }

    /// @inheritdoc IRewardsV2
    function lastPayoutAt(address wallet) external view returns (uint256) {
        return _accounts[wallet].lastPayoutAt;
    }

    /// @inheritdoc IRewardsV2
    function caps() external view returns (uint256 dailyCap, uint256 weeklyCap) {
        return (_window.dailyCap * scoreToTokenRate, _window.weeklyCap * scoreToTokenRate);
    }

    /// @inheritdoc IRewardsV2
    function getDailyRemaining() external view returns (uint256) {
        Window memory window = _windowNow();
        return _left(window.dailyCap, window.paidToday) * scoreToTokenRate;
    }

    /// @inheritdoc IRewardsV2
    function getWeeklyRemaining() external view returns (uint256) {
        Window memory window = _windowNow();
        return _left(window.weeklyCap, window.paidThisWeek) * scoreToTokenRate;
    }

    /// @inheritdoc IRewardsV2
    function floatBalance() public view returns (uint256) {
        return token.balanceOf(address(this));
    }

    /// @dev The shared slot with what was paid on days and weeks gone by left out.
    function _windowNow() internal view returns (Window memory window) {
        window = _window;
        uint256 today = block.timestamp / 1 days;
        if (window.day == today) return window;
        if (_weekOf(window.day) != _weekOf(today)) window.paidThisWeek = 0;
        window.paidToday = 0;
        window.day = uint32(today);
    }

    /// @dev Bits of `readiness`; zero where the payout may go on.
    function _reasons(
        address wallet,
        Account memory account,
        Window memory window,
        uint256 amount
    ) internal view returns (uint256 reasons) {
        uint256 score = account.scorebank;
        if (score == 0) reasons |= SCOREBANK_EMPTY;
        else if (score < minScore) reasons |= BELOW_MINIMUM;
        if (account.firstPlayAt != 0 && block.timestamp < _cooldownEnd(account)) reasons |= COOLDOWN_ACTIVE;
        if (score > _left(window.dailyCap, window.paidToday)) reasons |= DAILY_CAP;
        if (score > _left(window.weeklyCap, window.paidThisWeek)) reasons |= WEEKLY_CAP;
        if (floatBalance() < amount) reasons |= FLOAT_EMPTY;
        if (window.paused) reasons |= PAUSED;
        if (identity.primaryIdentity(wallet) == 0) reasons |= IDENTITY_REQUIRED;
    }

    /// @dev Turns the first reason into its error.
    function _revertFor(
        uint256 reasons,
        address wallet,
        Account memory account,
        Window memory window,
        uint256 amount
    ) internal view {
        if (reasons & PAUSED != 0) revert EnforcedPause();
        if (reasons & SCOREBANK_EMPTY != 0) revert ScorebankEmpty(wallet);
        if (reasons & BELOW_MINIMUM != 0) revert BelowMinimum(account.scorebank, minScore);
        if (reasons & IDENTITY_REQUIRED != 0) revert IdentityRequired(wallet);
        if (reasons & COOLDOWN_ACTIVE != 0) revert CooldownActive(_cooldownEnd(account));
        if (reasons & FLOAT_EMPTY != 0) revert FloatTooLow(floatBalance(), amount);
        uint256 daily = _left(window.dailyCap, window.paidToday);
        uint256 weekly = _left(window.weeklyCap, window.paidThisWeek);
        revert CapExceeded((daily < weekly ? daily : weekly) * scoreToTokenRate);
    }

    /// @dev Points of a cap in token base units.
    function _capPoints(uint256 cap) internal view returns (uint48) {
        uint256 max = type(uint48).max * scoreToTokenRate;
        return uint48(_within(cap, 0, max) / scoreToTokenRate);
    }

    function _within(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        if (value < min || value > max) revert LimitOutOfRange(value, max);
        return value;
    }

    /// @dev The first payout waits from the first snapshot on, so that points made with a stolen key cannot be paid
    /// to fresh wallets before somebody had the time to pause.
    function _cooldownEnd(Account memory account) private view returns (uint256) {
        return (account.lastPayoutAt == 0 ? account.firstPlayAt : account.lastPayoutAt) + payoutCooldown;
    }

    function _nextPayoutAt(
        Account memory account,
        Window memory window,
        uint256 reasons
    ) private view returns (uint256 time) {
        if (account.scorebank > window.dailyCap || account.scorebank > window.weeklyCap) return 0;
        if (reasons & COOLDOWN_ACTIVE != 0) time = _cooldownEnd(account);
        uint256 windowEnd = 0;
        if (reasons & DAILY_CAP != 0) windowEnd = (uint256(window.day) + 1) * 1 days;
        if (reasons & WEEKLY_CAP != 0) windowEnd = ((_weekOf(window.day) + 1) * 7 - 3) * 1 days;
        if (windowEnd > time) time = windowEnd;
    }

    /// @dev Weeks begin on Monday; day 0 was a Thursday.
    function _weekOf(uint256 day) private pure returns (uint256) {
        return (day + 3) / 7;
    }

    /// @dev A cap may have been lowered below what was paid.
    function _left(uint256 cap, uint256 paid) private pure returns (uint256) {
        return cap > paid ? cap - paid : 0;
    }
}
