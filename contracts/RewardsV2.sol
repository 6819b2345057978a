// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IAgentIdentity} from "./interfaces/IAgentIdentity.sol";
import {IRewardsV2} from "./interfaces/IRewardsV2.sol";
import {AccountWord} from "./base/AccountWord.sol";
import {Gate} from "./base/Gate.sol";
import {PayoutRule} from "./base/PayoutRule.sol";
import {SignedCalls} from "./base/SignedCalls.sol";
import {WindowWord} from "./base/WindowWord.sol";

/// @title Scorebank and payouts
/// @dev Of the gate, the number is the highest score of one session.
contract RewardsV2 is PayoutRule {
    using SafeERC20 for IERC20;

    /// @inheritdoc IRewardsV2
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    /// @inheritdoc IRewardsV2
    bytes32 public constant SNAPSHOT_TYPEHASH = keccak256(
        "Snapshot(address wallet,bytes32 gameId,uint256 score,bytes32 gameSessionHash,uint256 deadline)"
    );
    /// @inheritdoc IRewardsV2
    bytes32 public constant SNAPSHOT_BATCH_TYPEHASH = keccak256(
        "SnapshotBatch(address wallet,Item[] items,uint256 deadline)Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)"
    );
    /// @inheritdoc IRewardsV2
    bytes32 public constant ITEM_TYPEHASH = keccak256("Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)");

    /// @dev Bit `sequence % 256` of word `sequence / 256`: 256 sessions of a wallet share a slot.
    mapping(address wallet => mapping(uint256 word => uint256 bits)) private _consumed;

    constructor(
        Duties memory duties,
        address operator,
        IERC20 token_,
        IAgentIdentity identity_,
        Limits memory limits
    ) SignedCalls("RewardsV2", duties) PayoutRule(token_, identity_, limits) {
        if (operator != address(0)) _grantRole(OPERATOR_ROLE, operator);
        _writeMaxScore(limits.maxScorePerSession);
        _writeCaps(_capPoints(limits.dailyCap), _capPoints(limits.weeklyCap));
    }

    /// @inheritdoc IRewardsV2
    function snapshotScoreSigned(
        address wallet,
        bytes32 gameId,
        uint256 score,
        bytes32 gameSessionHash,
        uint256 deadline,
        bytes calldata signature
    ) external {
        Gate gate = _checkSigned(
            keccak256(abi.encode(SNAPSHOT_TYPEHASH, wallet, gameId, score, gameSessionHash, deadline)),
            deadline,
            signature
        );
        _consume(wallet, gameSessionHash);
        _accounts[wallet] = _credit(_accounts[wallet], wallet, gameId, score, gameSessionHash, gate.numberOf());
    }

    /// @inheritdoc IRewardsV2
    function snapshotScoresSigned(
        address wallet,
        Item[] calldata items,
        uint256 deadline,
        bytes calldata signature
    ) external {
        if (items.length == 0) revert EmptyBatch();
        bytes32[] memory hashes = new bytes32[](items.length);
        for (uint256 i = 0; i < items.length; ++i) hashes[i] = keccak256(abi.encode(ITEM_TYPEHASH, items[i]));
        Gate gate = _checkSigned(
            keccak256(abi.encode(SNAPSHOT_BATCH_TYPEHASH, wallet, keccak256(abi.encodePacked(hashes)), deadline)),
            deadline,
            signature
        );
        AccountWord account = _accounts[wallet];
        for (uint256 i = 0; i < items.length; ++i) {
            Item calldata item = items[i];
            _consume(wallet, item.gameSessionHash);
            account = _credit(account, wallet, item.gameId, item.score, item.gameSessionHash, gate.numberOf());
        }
        _accounts[wallet] = account;
    }

    /// @inheritdoc IRewardsV2
    function payout(address wallet) external returns (uint256 amount) {
        if (msg.sender != wallet && !hasRole(OPERATOR_ROLE, msg.sender)) revert NotWalletOrOperator(msg.sender);
        AccountWord account = _accounts[wallet];
        WindowWord window = _windowNow();
        uint256 score = account.bankOf();
        amount = _amountOf(account);
        uint256 reasons = _reasons(wallet, account, window, amount);
        if (reasons != 0) _revertFor(reasons, wallet, account, window, amount);
        _accounts[wallet] = account.paid(block.timestamp);
        _window = window.spent(score);
        emit Payout(wallet, window.dayOf(), score, amount);
        token.safeTransfer(wallet, amount);
    }

    /// @inheritdoc IRewardsV2
    function cancelSession(address wallet, bytes32 gameSessionHash) external onlyGuardianOrAdmin {
        _consume(wallet, gameSessionHash);
        emit SessionCancelled(wallet, gameSessionHash, msg.sender);
    }

    /// @inheritdoc IRewardsV2
    function setCaps(uint256 dailyCap, uint256 weeklyCap) external onlyGuardianOrAdmin {
        (uint256 daily, uint256 weekly) = (_capPoints(dailyCap), _capPoints(weeklyCap));
        if (daily > _window.dailyCapOf() || weekly > _window.weeklyCapOf()) _checkRole(DEFAULT_ADMIN_ROLE);
        _writeCaps(daily, weekly);
    }

    /// @inheritdoc IRewardsV2
    function setMaxScorePerSession(uint256 newMax) external onlyGuardianOrAdmin {
        if (newMax > _gate.numberOf()) _checkRole(DEFAULT_ADMIN_ROLE);
        _writeMaxScore(newMax);
    }

    /// @inheritdoc IRewardsV2
    function fund(uint256 amount) external {
        token.safeTransferFrom(msg.sender, address(this), amount);
        emit FloatFunded(msg.sender, amount);
    }

    /// @inheritdoc IRewardsV2
    function withdraw(address to, uint256 amount) external onlyRole(DEFAULT_ADMIN_ROLE) {
        token.safeTransfer(to, amount);
        emit FloatWithdrawn(to, amount);
    }

    /// @inheritdoc IRewardsV2
    function isSessionConsumed(address wallet, bytes32 gameSessionHash) external view returns (bool) {
        (uint256 word, uint256 bit) = _placeOf(gameSessionHash);
        return _consumed[wallet][word] & bit != 0;
    }

    /// @inheritdoc IRewardsV2
    function maxScorePerSession() external view returns (uint256) {
        return _gate.numberOf();
    }

    function _setPaused(bool value) internal override {
        super._setPaused(value);
        _window = _window.closed(value);
    }

    function _consume(address wallet, bytes32 gameSessionHash) private {
        (uint256 word, uint256 bit) = _placeOf(gameSessionHash);
        uint256 bits = _consumed[wallet][word];
        if (bits & bit != 0) revert SessionAlreadyConsumed(wallet, gameSessionHash);
        _consumed[wallet][word] = bits | bit;
    }

    /// @dev Adds one session to the account and tells so.
    function _credit(
        AccountWord account,
        address wallet,
        bytes32 gameId,
        uint256 score,
        bytes32 gameSessionHash,
        uint256 maxScore
    ) private returns (AccountWord credited) {
        if (score == 0 || score > maxScore) revert ScoreOutOfRange(score, maxScore);
        credited = account.credited(score, block.timestamp);
        emit ScoreSnapshot(wallet, gameId, gameSessionHash, score, credited.bankOf());
    }

    function _writeCaps(uint256 daily, uint256 weekly) private {
        _window = _window.withCaps(daily, weekly);
        emit CapsSet(daily * scoreToTokenRate, weekly * scoreToTokenRate);
    }

    function _writeMaxScore(uint256 newMax) private {
        _gate = _gate.withNumber(_within(newMax, 1, type(uint64).max));
        emit MaxScorePerSessionSet(newMax);
    }

    function _placeOf(bytes32 gameSessionHash) private pure returns (uint256 word, uint256 bit) {
        uint64 sequence = uint64(uint256(gameSessionHash));
        return (sequence >> 8, 1 << (sequence & 0xff));
    }
}
