// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IAgentIdentity} from "./interfaces/IAgentIdentity.sol";
import {IRewardsV2} from "./interfaces/IRewardsV2.sol";
import {PayoutRule} from "./mixins/PayoutRule.sol";
import {SignedCalls} from "./mixins/SignedCalls.sol";
import {hashItems} from "./types/BatchItems.sol";
import {PayoutWindow, min} from "./types/PayoutWindow.sol";
import {toRewardsConfig} from "./types/RewardsConfig.sol";
import {ScoreAccount} from "./types/ScoreAccount.sol";

/// @title Scorebank and payouts
/// @notice See `IRewardsV2`.
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

    /// @dev Sums of scores fit 64 bits, also those that a stolen key signed.
    uint256 private constant MAX_SCORE = type(uint40).max;

    /// @dev Bit `sequence % 256` of word `sequence / 256`: 256 sessions of a wallet share a slot.
    mapping(address wallet => mapping(uint256 word => uint256 bits)) private _consumed;
    /// @dev The same for the consumed sessions that were cancelled, so that no credited session can be restored.
    mapping(address wallet => mapping(uint256 word => uint256 bits)) private _cancelled;

    /// @inheritdoc IRewardsV2
    mapping(address wallet => uint256 points) public voidedPoints;

    constructor(
        Duties memory duties,
        address operator,
        IERC20 token_,
        IAgentIdentity identity_,
        Limits memory limits
    ) SignedCalls("RewardsV2", duties) PayoutRule(token_, identity_, limits) {
        if (operator != address(0)) _grantRole(OPERATOR_ROLE, operator);
        (uint256 most, uint256 daily) = (_toPoints(limits.maxPayout), _toPoints(limits.dailyCap));
        uint256 weekly = _toPoints(limits.weeklyCap);
        if (most > daily) revert LimitsContradict(minScore, most, daily, weekly);
        _writeMaxScore(limits.maxScorePerSession);
        _writeCaps(daily, weekly);
        _writeMaxPayout(most);
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
        bytes32 structHash = keccak256(abi.encode(SNAPSHOT_TYPEHASH, wallet, gameId, score, gameSessionHash, deadline));
        uint256 maxScore = toRewardsConfig(_checkSigned(structHash, deadline, signature)).maxScorePerSession();
        uint256 word = _wordOf(gameSessionHash);
        _consumed[wallet][word] = _consume(_consumed[wallet][word], wallet, gameSessionHash);
        _accounts[wallet] = _credit(_accounts[wallet], wallet, gameId, score, gameSessionHash, maxScore);
    }

    /// @inheritdoc IRewardsV2
    function snapshotScoresSigned(
        address wallet,
        Item[] calldata items,
        uint256 deadline,
        bytes calldata signature
    ) external {
        if (items.length == 0) revert EmptyBatch();
        bytes32 structHash = keccak256(
            abi.encode(SNAPSHOT_BATCH_TYPEHASH, wallet, hashItems(items, ITEM_TYPEHASH), deadline)
        );
        uint256 maxScore = toRewardsConfig(_checkSigned(structHash, deadline, signature)).maxScorePerSession();
        _creditAll(wallet, items, maxScore);
    }

    /// @inheritdoc IRewardsV2
    function payout(address wallet) external returns (uint256 amount) {
        return _payout(wallet, 0);
    }

    /// @inheritdoc IRewardsV2
    function payoutAtLeast(address wallet, uint256 leastAmount) external returns (uint256 amount) {
        return _payout(wallet, leastAmount);
    }

    /// @inheritdoc IRewardsV2
    function voidPoints(WalletPoints[] calldata list) external onlyGuardianOrAdmin {
        for (uint256 i = 0; i < list.length; ++i) {
            address wallet = list[i].wallet;
            ScoreAccount account = _accounts[wallet];
            uint256 points = min(list[i].points, account.scorebank());
            account = account.take(points);
            _accounts[wallet] = account;
            voidedPoints[wallet] += points;
            emit PointsVoided(wallet, points, account.scorebank(), msg.sender);
        }
    }

    /// @inheritdoc IRewardsV2
    function restorePoints(WalletPoints[] calldata list) external onlyRole(DEFAULT_ADMIN_ROLE) {
        for (uint256 i = 0; i < list.length; ++i) {
            address wallet = list[i].wallet;
            uint256 voided = voidedPoints[wallet];
            uint256 points = min(list[i].points, voided);
            voidedPoints[wallet] = voided - points;
            ScoreAccount account = _accounts[wallet].restore(points);
            _accounts[wallet] = account;
            emit PointsRestored(wallet, points, account.scorebank(), msg.sender);
        }
    }

    /// @inheritdoc IRewardsV2
    function cancelSessions(WalletSession[] calldata list) external onlyGuardianOrAdmin {
        for (uint256 i = 0; i < list.length; ++i) {
            (address wallet, bytes32 gameSessionHash) = (list[i].wallet, list[i].gameSessionHash);
            uint256 word = _wordOf(gameSessionHash);
            _consumed[wallet][word] = _consume(_consumed[wallet][word], wallet, gameSessionHash);
            _cancelled[wallet][word] |= _bitOf(gameSessionHash);
            emit SessionCancelled(wallet, gameSessionHash, msg.sender);
        }
    }

    /// @inheritdoc IRewardsV2
    function restoreSessions(WalletSession[] calldata list) external onlyRole(DEFAULT_ADMIN_ROLE) {
        for (uint256 i = 0; i < list.length; ++i) {
            (address wallet, bytes32 gameSessionHash) = (list[i].wallet, list[i].gameSessionHash);
            (uint256 word, uint256 bit) = (_wordOf(gameSessionHash), _bitOf(gameSessionHash));
            if (_cancelled[wallet][word] & bit == 0) revert SessionNotCancelled(wallet, gameSessionHash);
            _consumed[wallet][word] &= ~bit;
            _cancelled[wallet][word] &= ~bit;
            emit SessionRestored(wallet, gameSessionHash, msg.sender);
        }
    }

    /// @inheritdoc IRewardsV2
    function setCaps(uint256 dailyCap, uint256 weeklyCap) external onlyGuardianOrAdmin {
        (uint256 daily, uint256 weekly) = (_toPoints(dailyCap), _toPoints(weeklyCap));
        if (daily > _window.dailyCap() || weekly > _window.weeklyCap()) _checkRole(DEFAULT_ADMIN_ROLE);
        _writeCaps(daily, weekly);
    }

    /// @inheritdoc IRewardsV2
    function setMaxPayout(uint256 newMax) external onlyGuardianOrAdmin {
        uint256 points = _toPoints(newMax);
        if (points > _window.maxPayout()) _checkRole(DEFAULT_ADMIN_ROLE);
        _writeMaxPayout(points);
    }

    /// @inheritdoc IRewardsV2
    function setMaxScorePerSession(uint256 newMax) external onlyGuardianOrAdmin {
        if (newMax > maxScorePerSession()) _checkRole(DEFAULT_ADMIN_ROLE);
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
        return _consumed[wallet][_wordOf(gameSessionHash)] & _bitOf(gameSessionHash) != 0;
    }

    /// @inheritdoc IRewardsV2
    function maxScorePerSession() public view returns (uint256) {
        return toRewardsConfig(_signerConfig).maxScorePerSession();
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view override(AccessControlDefaultAdminRules) returns (bool) {
        return interfaceId == type(IRewardsV2).interfaceId || super.supportsInterface(interfaceId);
    }

    function _payout(address wallet, uint256 leastAmount) private returns (uint256 amount) {
        if (msg.sender != wallet && !hasRole(OPERATOR_ROLE, msg.sender)) revert NotWalletOrOperator(msg.sender);
        ScoreAccount account = _accounts[wallet];
        PayoutWindow window = _windowNow();
        uint256 points = min(account.scorebank(), window.payableNow());
        unchecked {
            // 40 bits of points times 128 bits of rate.
            amount = points * scoreToTokenRate;
        }
        (, uint256 since) = identity.primary(wallet);
        uint256 reasons = _reasons(account, window, since, points, amount);
        if (reasons != 0) _revertFor(reasons, wallet, account, window, since, amount);
        if (amount < leastAmount) revert PayoutTooSmall(amount, leastAmount);
        account = account.pay(points, block.timestamp);
        _accounts[wallet] = account;
        _window = window.spend(points);
        emit Payout(wallet, window.day(), points, amount, account.scorebank());
        token.safeTransfer(wallet, amount);
    }

    /// @dev The same as one snapshot for each item; a word of the bitmap is read and written once for its run of items.
    function _creditAll(address wallet, Item[] calldata items, uint256 maxScore) private {
        mapping(uint256 => uint256) storage consumed = _consumed[wallet];
        ScoreAccount account = _accounts[wallet];
        uint256 word = _wordOf(items[0].gameSessionHash);
        uint256 bits = consumed[word];
        for (uint256 i = 0; i < items.length; ++i) {
            Item calldata item = items[i];
            bytes32 hash = item.gameSessionHash;
            if (_wordOf(hash) != word) {
                consumed[word] = bits;
                word = _wordOf(hash);
                bits = consumed[word];
            }
            if (bits & _bitOf(hash) != 0) revert SessionAlreadyConsumed(wallet, hash);
            bits |= _bitOf(hash);
            account = _credit(account, wallet, item.gameId, item.score, hash, maxScore);
        }
        consumed[word] = bits;
        _accounts[wallet] = account;
    }

    /// @dev Adds one session to the account. What is above `maxScore` is taken out at once.
    function _credit(
        ScoreAccount account,
        address wallet,
        bytes32 gameId,
        uint256 score,
        bytes32 gameSessionHash,
        uint256 maxScore
    ) private returns (ScoreAccount credited) {
        if (score == 0 || score > MAX_SCORE) revert ScoreOutOfRange(score, MAX_SCORE);
        credited = account.credit(score, block.timestamp);
        emit ScoreSnapshot(wallet, gameId, gameSessionHash, score, credited.scorebank());
        if (score > maxScore) {
            credited = credited.take(score - maxScore);
            emit PointsVoided(wallet, score - maxScore, credited.scorebank(), address(0));
        }
    }

    function _writeCaps(uint256 daily, uint256 weekly) private {
        if (daily > weekly) revert LimitsContradict(minScore, _window.maxPayout(), daily, weekly);
        _window = _window.setCaps(daily, weekly);
        emit CapsSet(daily * scoreToTokenRate, weekly * scoreToTokenRate);
    }

    function _writeMaxPayout(uint256 points) private {
        if (points < minScore) revert LimitsContradict(minScore, points, _window.dailyCap(), _window.weeklyCap());
        _window = _window.setMaxPayout(points);
        emit MaxPayoutSet(points * scoreToTokenRate);
    }

    function _writeMaxScore(uint256 newMax) private {
        _within(newMax, 1, MAX_SCORE);
        _signerConfig = toRewardsConfig(_signerConfig).setMaxScorePerSession(newMax).toSignerConfig();
        emit MaxScorePerSessionSet(newMax);
    }

    /// @dev Sets the session's bit in its word of the bitmap.
    function _consume(uint256 bits, address wallet, bytes32 gameSessionHash) private pure returns (uint256) {
        uint256 bit = _bitOf(gameSessionHash);
        if (bits & bit != 0) revert SessionAlreadyConsumed(wallet, gameSessionHash);
        return bits | bit;
    }

    function _wordOf(bytes32 gameSessionHash) private pure returns (uint256) {
        return uint64(uint256(gameSessionHash)) >> 8;
    }

    function _bitOf(bytes32 gameSessionHash) private pure returns (uint256) {
        return 1 << (uint256(gameSessionHash) & 0xff);
    }
}
