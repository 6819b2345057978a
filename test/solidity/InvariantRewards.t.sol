// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RewardsUnderTest} from "./helpers/UnderTest.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Invariant} from "./helpers/Invariant.sol";
import {RewardsHandler} from "./helpers/RewardsHandler.sol";

/// @title Invariants of the rewards under random sequences of calls
/// @dev Cooldown, caps at the moment of a payout, pause and revoked signers are asserted by the handler at each call.
contract InvariantRewards is Invariant {
    RewardsHandler private _handler;
    IERC20 private _token;
    RewardsUnderTest private _rewards;

    function setUp() public {
        _handler = RewardsHandler(createHandler("RewardsHandler.sol:RewardsHandler"));
        (address token, address rewards) = _handler.contracts();
        (_token, _rewards) = (IERC20(token), RewardsUnderTest(rewards));
        targetContract(address(_handler));
    }

    /// @dev Each session counts at most once, and the bank moves only by accepted sessions, payouts, and points that are voided or
    /// restored.
    function invariantEveryPointIsInTheBankOrPaid() public view {
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            uint256 left = _rewards.getScorebank(wallet) + _rewards.voidedPoints(wallet);
            assert(_handler.accepted(wallet) == left + _handler.paid(wallet));
            assert(_handler.voided(wallet) == _rewards.voidedPoints(wallet));
        }
    }

    function invariantTokensAreConserved() public view {
        uint256 sum = _token.balanceOf(address(_rewards)) + _token.balanceOf(address(_handler));
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            assert(_token.balanceOf(wallet) == _handler.paid(wallet) * _rewards.scoreToTokenRate());
            sum += _token.balanceOf(wallet);
        }
        assert(sum == _token.totalSupply());
        assert(_rewards.floatBalance() == _handler.floatByHand());
    }

    function invariantCapsLeaveWhatWasNotPaid() public view {
        (uint256 daily, uint256 weekly) = _handler.leftToday();
        assert(_rewards.getDailyRemaining() == daily && _rewards.getWeeklyRemaining() == weekly);
    }

    function invariantPrimariesFollowTheBooks() public view {
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            (uint256 agentId, uint256 since) = _handler.primaryOfIdentity(wallet);
            assert(agentId == _handler.primaryOf(wallet) && since == _handler.sinceOf(wallet));
        }
    }

    /// @dev The test runner calls this at the end of each run.
    function afterInvariant() public {
        reportRun("payouts", _handler.payouts());
        reportRun("portions", _handler.portions());
    }

    function invariantAccountsRemember() public view {
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            assert(_rewards.firstPlayAt(wallet) == _handler.firstAt(wallet));
            assert(_rewards.lastPayoutAt(wallet) == _handler.lastAt(wallet));
        }
    }
}
