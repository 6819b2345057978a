// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsEvents} from "./IRewardsEvents.sol";

/// @title Scorebank and payouts
/// @notice Ended sessions are added to a wallet's scorebank with the score signer's consent; a payout turns points of the
/// scorebank into tokens from the float, the tokens that this contract holds. It cannot mint any.
///
/// Bound on loss: an attacker with every key of the service (score, identity, game NFT and operator key) takes at most the
/// smaller of the float and one day's cap per UTC day until the guardian pauses, so two days' caps within minutes around
/// midnight UTC. Wallets whose cooldown has passed are paid at once; from a fresh wallet nothing is taken before
/// `payoutCooldown` has passed since its first snapshot and since its identity became primary, without the time of pauses.
/// What is not paid by then the guardian takes out of the scorebanks with `voidPoints`.
interface IRewardsV2 is IRewardsEvents {
    /// @notice One ended session in a batch.
    /// @param gameSessionHash The session; its low 64 bits are the wallet's sequence, which is consumed.
    /// @param gameId The game's slug in ASCII, right-padded.
    /// @param score Points of the session.
    struct Item {
        bytes32 gameSessionHash;
        bytes32 gameId;
        uint256 score;
    }

    /// @notice An ended session of a wallet.
    /// @param wallet The wallet.
    /// @param gameSessionHash The session.
    struct WalletSession {
        address wallet;
        bytes32 gameSessionHash;
    }

    /// @notice Points of a wallet.
    /// @param wallet The wallet.
    /// @param points How many; more than there are means all of them.
    struct WalletPoints {
        address wallet;
        uint256 points;
    }

    /// @notice A wallet's account; one storage slot. Times are Unix seconds, zero for never.
    /// @param scorebank Points that wait for a payout.
    /// @param firstPlayAt First snapshot.
    /// @param lastPayoutAt Last payout.
    /// @param lastSnapshotAt Last snapshot.
    /// @param snapshots How many sessions were added.
    struct Account {
        uint96 scorebank;
        uint40 firstPlayAt;
        uint40 lastPayoutAt;
        uint40 lastSnapshotAt;
        uint32 snapshots;
    }

    /// @notice What the constructor is given. Amounts are token base units and are rounded down to whole score points.
    /// @param scoreToTokenRate Token base units per score point.
    /// @param payoutCooldown Seconds from the first snapshot to the first payout, and between payouts; at least 1.
    /// @param minScore Least number of points that is paid.
    /// @param maxScorePerSession Most that one session adds to a scorebank.
    /// @param maxPayout Most that one payout takes: what one wallet gets in a cooldown. At least `minScore` points.
    /// @param dailyCap Most that is paid in one UTC day, over all wallets. At least `maxPayout`.
    /// @param weeklyCap Most that is paid in one week (Monday to Sunday, UTC), over all wallets. At least `dailyCap`.
    struct Limits {
        uint256 scoreToTokenRate;
        uint256 payoutCooldown;
        uint256 minScore;
        uint256 maxScorePerSession;
        uint256 maxPayout;
        uint256 dailyCap;
        uint256 weeklyCap;
    }

    /// @notice The role that relays payouts.
    function OPERATOR_ROLE() external view returns (bytes32);

    /// @notice `keccak256("Snapshot(address wallet,bytes32 gameId,uint256 score,bytes32 gameSessionHash,uint256 deadline)")`.
    function SNAPSHOT_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("SnapshotBatch(address wallet,Item[] items,uint256 deadline)Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)")`.
    function SNAPSHOT_BATCH_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)")`.
    function ITEM_TYPEHASH() external view returns (bytes32);

    /// @notice Adds one ended session's score to the wallet's scorebank, at most `maxScorePerSession`. Anyone may send it; only `wallet` gains.
    /// @param wallet The player, named in the signed message.
    /// @param gameId The game's slug in ASCII, right-padded.
    /// @param score Points of the session.
    /// @param gameSessionHash The session; its low 64 bits are the wallet's sequence, which is consumed.
    /// @param deadline Unix seconds.
    /// @param signature The score signer's, over `Snapshot`.
    function snapshotScoreSigned(
        address wallet,
        bytes32 gameId,
        uint256 score,
        bytes32 gameSessionHash,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Adds several ended sessions under one signature over `SnapshotBatch`: the same as one call each.
    /// @param wallet The player, named in the signed message.
    /// @param items The sessions.
    /// @param deadline Unix seconds.
    /// @param signature The score signer's, over `SnapshotBatch`.
    function snapshotScoresSigned(
        address wallet,
        Item[] calldata items,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Pays the smallest of the wallet's scorebank, `maxPayout`, and what the day's and the week's cap leave; the
    /// rest stays in the scorebank. By the wallet itself or the operator.
    /// @param wallet Who is paid.
    /// @return amount Token base units that were transferred.
    function payout(address wallet) external returns (uint256 amount);

    /// @notice As `payout`, but reverts if it would transfer less: another payout that lands first may leave little of a
    /// cap, and a payout of any amount starts the cooldown.
    /// @param wallet Who is paid.
    /// @param leastAmount Token base units.
    /// @return amount Token base units that were transferred.
    function payoutAtLeast(address wallet, uint256 leastAmount) external returns (uint256 amount);

    /// @notice Takes points out of scorebanks, for those that a stolen key credited. Guardian or admin.
    /// @param list The wallets, each with the points that it loses.
    function voidPoints(WalletPoints[] calldata list) external;

    /// @notice Puts voided points back, never more than were voided. Admin only.
    /// @param list The wallets, each with the points that it gets back.
    function restorePoints(WalletPoints[] calldata list) external;

    /// @notice Consumes sessions without crediting them, so that scores that were signed wrongly never count. All or none.
    /// Guardian or admin.
    /// @param list The sessions.
    function cancelSessions(WalletSession[] calldata list) external;

    /// @notice Undoes `cancelSessions`. Admin only.
    /// @param list Sessions that were cancelled.
    function restoreSessions(WalletSession[] calldata list) external;

    /// @notice Points that guardian or admin voided, and that may be restored.
    /// @param wallet Any wallet.
    function voidedPoints(address wallet) external view returns (uint256);

    /// @notice The rule of payouts as a view: `payout` reverts exactly where `ready` is false.
    /// @param wallet Any wallet.
    /// @return ready True where `payout(wallet)` would succeed in this block.
    /// @return reasons Bits of `PayoutReasons`: 0 SCOREBANK_EMPTY, 1 BELOW_MINIMUM, 2 COOLDOWN_ACTIVE, 3 DAILY_CAP,
    /// 4 WEEKLY_CAP, 5 FLOAT_EMPTY, 6 PAUSED, 7 IDENTITY_REQUIRED, 8 IDENTITY_TOO_NEW.
    /// @return nextPayoutAt Unix second from which cooldown, identity and caps allow a payout; zero where they allow it now,
    /// or never, because a cap is below `minScore`.
    /// @return amount Token base units that the bank, `maxPayout` and the caps allow now.
    function readiness(
        address wallet
    ) external view returns (bool ready, uint256 reasons, uint256 nextPayoutAt, uint256 amount);

    /// @notice True where the session's sequence was consumed or cancelled.
    /// @param wallet Any wallet.
    /// @param gameSessionHash The session.
    function isSessionConsumed(address wallet, bytes32 gameSessionHash) external view returns (bool);

    /// @notice The wallet's account in one read.
    /// @param wallet Any wallet.
    function accountOf(address wallet) external view returns (Account memory);

    /// @notice Points that wait for a payout.
    /// @param wallet Any wallet.
    function getScorebank(address wallet) external view returns (uint256);

    /// @notice Unix second of the wallet's first snapshot; zero for none.
    /// @param wallet Any wallet.
    function firstPlayAt(address wallet) external view returns (uint256);

    /// @notice Unix second of the wallet's last payout; zero for none.
    /// @param wallet Any wallet.
    function lastPayoutAt(address wallet) external view returns (uint256);

    /// @notice Seconds from the first snapshot to the first payout, between payouts, and for which an identity must have
    /// been the wallet's primary one. The time of a pause does not count.
    function payoutCooldown() external view returns (uint256);

    /// @notice Least number of points that is paid.
    function minScore() external view returns (uint256);

    /// @notice Token base units per point.
    function scoreToTokenRate() external view returns (uint256);

    /// @notice Most that one session adds to a scorebank.
    function maxScorePerSession() external view returns (uint256);

    /// @notice Most that one payout takes, in token base units.
    function maxPayout() external view returns (uint256);

    /// @notice Most that is paid in one UTC day and in one week, in token base units.
    /// @return dailyCap The day's cap.
    /// @return weeklyCap The week's cap.
    function caps() external view returns (uint256 dailyCap, uint256 weeklyCap);

    /// @notice The pause that moves cooldowns: one that began before `until` is moved by `until - from`, at most to `until`.
    /// @return from Unix second of its beginning; earlier by the length of a pause that ended less than a cooldown before.
    /// @return until Unix second of its end; zero for none so far, 2^32 - 1 while it lasts.
    function lastPause() external view returns (uint256 from, uint256 until);

    /// @notice Token base units that may still be paid today (UTC).
    function getDailyRemaining() external view returns (uint256);

    /// @notice Token base units that may still be paid this week (Monday to Sunday, UTC).
    function getWeeklyRemaining() external view returns (uint256);

    /// @notice Token base units that the contract holds for payouts.
    function floatBalance() external view returns (uint256);

    /// @notice Sets both caps; the day's must not be above the week's. Lowering: guardian or admin; raising either: admin.
    /// @param dailyCap Token base units.
    /// @param weeklyCap Token base units.
    function setCaps(uint256 dailyCap, uint256 weeklyCap) external;

    /// @notice Sets the bound on one payout, at least `minScore` points. Lowering: guardian or admin; raising: admin.
    /// @param newMax Token base units.
    function setMaxPayout(uint256 newMax) external;

    /// @notice Sets the bound on one session. Lowering: guardian or admin; raising: admin.
    /// @param newMax Points, from 1 to 2^40 - 1.
    function setMaxScorePerSession(uint256 newMax) external;

    /// @notice Moves tokens of the caller into the float (allowance needed).
    /// @param amount Token base units.
    function fund(uint256 amount) external;

    /// @notice Moves tokens out of the float. Admin only.
    /// @param to Who receives them.
    /// @param amount Token base units.
    function withdraw(address to, uint256 amount) external;
}
