// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IAgentIdentity} from "../interfaces/IAgentIdentity.sol";
import {IRewardsV2} from "../interfaces/IRewardsV2.sol";
import {AccountWord} from "./AccountWord.sol";
import {SignedCalls} from "./SignedCalls.sol";
import {WindowWord, weekOf} from "./WindowWord.sol";

/// @title The one rule of payouts
/// @dev Accounts, limits, and what stands in the way of a payout; `payout` and `readiness` ask the same function.
/// Caps are kept in score points, so that both, what was paid, and the day fit one word.
abstract contract PayoutRule is IRewardsV2, SignedCalls {
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

    mapping(address wallet => AccountWord) internal _accounts;
    WindowWord internal _window;

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
        AccountWord account = _accounts[wallet];
        WindowWord window = _windowNow();
        amount = _amountOf(account);
        reasons = _reasons(wallet, account, window, amount);
        ready = reasons == 0;
        nextPayoutAt = _nextPayoutAt(account, window, reasons);
    }

    /// @inheritdoc IRewardsV2
    function accountOf(address wallet) external view returns (Account memory) {
        return _accounts[wallet].unpack();
    }

    /// @inheritdoc IRewardsV2
    function getScorebank(address wallet) external view returns (uint256) {
        return _accounts[wallet].bankOf();
    }

    /// @inheritdoc IRewardsV2
    function firstPlayAt(address wallet) external view returns (uint256) {
        return _accounts[wallet].firstOf();
    }

    /// @inheritdoc IRewardsV2
    function lastPayoutAt(address wallet) external view returns (uint256) {
        return _accounts[wallet].paidAtOf();
    }

    /// @inheritdoc IRewardsV2
    function caps() external view returns (uint256 dailyCap, uint256 weeklyCap) {
        return (_window.dailyCapOf() * scoreToTokenRate, _window.weeklyCapOf() * scoreToTokenRate);
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

    /// @dev The shared slot with what was paid on days and weeks gone by left out.
    function _windowNow() internal view returns (WindowWord) {
        return _window.on(block.timestamp / 1 days);
    }

    /// @dev 96 bits of points times 128 bits of rate.
    function _amountOf(AccountWord account) internal view returns (uint256) {
        unchecked {
            return account.bankOf() * scoreToTokenRate;
        }
    }

    /// @dev Bits of `readiness`; zero where the payout may go on.
    function _reasons(
        address wallet,
        AccountWord account,
        WindowWord window,
        uint256 amount
    ) internal view returns (uint256 reasons) {
        uint256 score = account.bankOf();
        if (score == 0) reasons |= SCOREBANK_EMPTY;
        else if (score < minScore) reasons |= BELOW_MINIMUM;
        if (score != 0 && block.timestamp < _cooldownEnd(account)) reasons |= COOLDOWN_ACTIVE;
        if (score > window.dailyLeft()) reasons |= DAILY_CAP;
        if (score > window.weeklyLeft()) reasons |= WEEKLY_CAP;
        if (floatBalance() < amount) reasons |= FLOAT_EMPTY;
        if (window.isClosed()) reasons |= PAUSED;
        if (identity.primaryIdentity(wallet) == 0) reasons |= IDENTITY_REQUIRED;
    }

    /// @dev Turns the first reason into its error.
    function _revertFor(
        uint256 reasons,
        address wallet,
        AccountWord account,
        WindowWord window,
        uint256 amount
    ) internal view {
        if (reasons & PAUSED != 0) revert EnforcedPause();
        if (reasons & SCOREBANK_EMPTY != 0) revert ScorebankEmpty(wallet);
        if (reasons & BELOW_MINIMUM != 0) revert BelowMinimum(account.bankOf(), minScore);
        if (reasons & IDENTITY_REQUIRED != 0) revert IdentityRequired(wallet);
        if (reasons & COOLDOWN_ACTIVE != 0) revert CooldownActive(_cooldownEnd(account));
        if (reasons & FLOAT_EMPTY != 0) revert FloatTooLow(floatBalance(), amount);
        uint256 daily = window.dailyLeft();
        uint256 weekly = window.weeklyLeft();
        revert CapExceeded((daily < weekly ? daily : weekly) * scoreToTokenRate);
    }

    /// @dev Points of a cap in token base units.
    function _capPoints(uint256 cap) internal view returns (uint256) {
        return _within(cap, 0, type(uint48).max * scoreToTokenRate) / scoreToTokenRate;
    }

    function _within(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        if (value < min || value > max) revert LimitOutOfRange(value, max);
        return value;
    }

    /// @dev The first payout waits from the first snapshot on, so that points made with a stolen key cannot be paid
    /// to fresh wallets before somebody had the time to pause.
    function _cooldownEnd(AccountWord account) private view returns (uint256) {
        uint256 from = account.paidAtOf();
        if (from == 0) from = account.firstOf();
        unchecked {
            return from + payoutCooldown;
        }
    }

    function _nextPayoutAt(
        AccountWord account,
        WindowWord window,
        uint256 reasons
    ) private view returns (uint256 time) {
        if (account.bankOf() > window.dailyCapOf() || account.bankOf() > window.weeklyCapOf()) return 0;
        if (reasons & COOLDOWN_ACTIVE != 0) time = _cooldownEnd(account);
        uint256 windowEnd = 0;
        if (reasons & DAILY_CAP != 0) windowEnd = (window.dayOf() + 1) * 1 days;
        if (reasons & WEEKLY_CAP != 0) windowEnd = ((weekOf(window.dayOf()) + 1) * 7 - 3) * 1 days;
        if (windowEnd > time) time = windowEnd;
    }
}
