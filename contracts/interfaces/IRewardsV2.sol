// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Scorebank and payouts
/// @notice Ended sessions are added to a wallet's scorebank with the score signer's consent; a payout turns the whole
/// scorebank into tokens from a float that was put here before. This contract can never mint.
///
/// Bound on loss: whoever holds every key of the service (score, identity and operator key) takes at most the smaller
/// of the float and one day's cap per UTC day until the guardian pauses, and nothing from a fresh wallet before
/// `payoutCooldown` has passed since its first snapshot.
interface IRewardsV2 {
    /// @notice One ended session in a batch.
    struct Item {
        bytes32 gameSessionHash;
        bytes32 gameId;
        uint256 score;
    }

    /// @notice A wallet's account; one storage slot. Times are unix seconds, zero for never.
    struct Account {
        uint96 scorebank;
        uint40 firstPlayAt;
        uint40 lastPayoutAt;
        uint40 lastSnapshotAt;
        uint32 snapshots;
    }

    /// @notice What the constructor fixes. Caps are token base units and are rounded down to whole score points.
    /// @param scoreToTokenRate Token base units per score point.
    /// @param payoutCooldown Seconds from the first snapshot to the first payout, and between payouts.
    /// @param minScore Least scorebank that is paid.
    /// @param maxScorePerSession Highest score of one session.
    /// @param dailyCap Most that is paid in one UTC day, over all wallets.
    /// @param weeklyCap Most that is paid in one week (Monday to Sunday, UTC), over all wallets.
    struct Limits {
        uint256 scoreToTokenRate;
        uint256 payoutCooldown;
        uint256 minScore;
        uint256 maxScorePerSession;
        uint256 dailyCap;
        uint256 weeklyCap;
    }

    /// @notice The session's sequence was consumed (or cancelled) before.
    error SessionAlreadyConsumed(address wallet, bytes32 gameSessionHash);

    /// @notice A session's score lies outside `1..maxScorePerSession`.
    error ScoreOutOfRange(uint256 score, uint256 max);

    /// @notice A batch without items.
    error EmptyBatch();

    /// @notice Payouts are sent by the wallet itself or the operator.
    error NotWalletOrOperator(address caller);

    /// @notice There is nothing to pay.
    error ScorebankEmpty(address wallet);

    /// @notice The scorebank is below the least that is paid.
    error BelowMinimum(uint256 score, uint256 minScore);

    /// @notice Too early.
    error CooldownActive(uint256 nextPayoutAt);

    /// @notice The amount passes what the day's or week's cap leaves (token base units); nothing is paid in part.
    error CapExceeded(uint256 remaining);

    /// @notice The contract holds fewer tokens than the payout needs.
    error FloatTooLow(uint256 available, uint256 needed);

    /// @notice The wallet holds no agent identity.
    error IdentityRequired(address wallet);

    /// @notice A limit does not fit its field, or is zero where that makes no sense.
    error LimitOutOfRange(uint256 value, uint256 max);

    event ScoreSnapshot(
        address indexed wallet,
        bytes32 indexed gameId,
        bytes32 indexed gameSessionHash,
        uint256 score,
        uint256 scorebank
    );
    event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount);
    event SessionCancelled(address indexed wallet, bytes32 indexed gameSessionHash, address indexed by);
    event CapsSet(uint256 dailyCap, uint256 weeklyCap);
    event MaxScorePerSessionSet(uint256 maxScorePerSession);
    event FloatFunded(address indexed from, uint256 amount);
    event FloatWithdrawn(address indexed to, uint256 amount);

    /// @notice The role that relays payouts.
    function OPERATOR_ROLE() external view returns (bytes32);

    /// @notice `keccak256("Snapshot(address wallet,bytes32 gameId,uint256 score,bytes32 gameSessionHash,uint256 deadline)")`.
    function SNAPSHOT_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("SnapshotBatch(address wallet,Item[] items,uint256 deadline)Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)")`.
    function SNAPSHOT_BATCH_TYPEHASH() external view returns (bytes32);

    /// @notice `keccak256("Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)")`.
    function ITEM_TYPEHASH() external view returns (bytes32);

    /// @notice Adds one ended session's score to the wallet's scorebank. Anyone may send it; only `wallet` gains.
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
    function snapshotScoresSigned(
        address wallet,
        Item[] calldata items,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Pays the wallet's whole scorebank and sets it to zero. By the wallet itself or the operator.
    /// @return amount Token base units that were transferred.
    function payout(address wallet) external returns (uint256 amount);

    /// @notice Consumes a session without crediting it, so that a score that was signed wrongly never counts.
    /// Guardian or admin.
    function cancelSession(address wallet, bytes32 gameSessionHash) external;

    /// @notice The one rule of payouts: `payout` reverts exactly where this says not ready.
    /// @return ready True where `payout(wallet)` would succeed in this block.
    /// @return reasons Bits: 0 SCOREBANK_EMPTY, 1 BELOW_MINIMUM, 2 COOLDOWN_ACTIVE, 3 DAILY_CAP, 4 WEEKLY_CAP,
    /// 5 FLOAT_EMPTY, 6 PAUSED, 7 IDENTITY_REQUIRED.
    /// @return nextPayoutAt Unix second at which cooldown and caps alone stop standing in the way; zero where they do
    /// not, or where no time helps because the amount passes a whole cap.
    /// @return amount Token base units the payout transfers.
    function readiness(
        address wallet
    ) external view returns (bool ready, uint256 reasons, uint256 nextPayoutAt, uint256 amount);

    /// @notice True where the session's sequence was consumed or cancelled.
    function isSessionConsumed(address wallet, bytes32 gameSessionHash) external view returns (bool);

    /// @notice The wallet's account in one read.
    function accountOf(address wallet) external view returns (Account memory);

    /// @notice Points that wait for a payout.
    function getScorebank(address wallet) external view returns (uint256);

    /// @notice Unix second of the wallet's first snapshot; zero for none.
    function firstPlayAt(address wallet) external view returns (uint256);

    /// @notice Unix second of the wallet's last payout; zero for none.
    function lastPayoutAt(address wallet) external view returns (uint256);

    /// @notice Seconds from the first snapshot to the first payout, and between payouts.
    function payoutCooldown() external view returns (uint256);

    /// @notice Least scorebank that is paid.
    function minScore() external view returns (uint256);

    /// @notice Token base units per point.
    function scoreToTokenRate() external view returns (uint256);

    /// @notice Highest score of one session.
    function maxScorePerSession() external view returns (uint256);

    /// @notice Most that is paid in one UTC day and in one week, in token base units.
    function caps() external view returns (uint256 dailyCap, uint256 weeklyCap);

    /// @notice Token base units that may still be paid today (UTC).
    function getDailyRemaining() external view returns (uint256);

    /// @notice Token base units that may still be paid this week (Monday to Sunday, UTC).
    function getWeeklyRemaining() external view returns (uint256);

    /// @notice Token base units that are here to be paid.
    function floatBalance() external view returns (uint256);

    /// @notice Sets both caps. Lowering: guardian or admin; raising either: admin.
    function setCaps(uint256 dailyCap, uint256 weeklyCap) external;

    /// @notice Sets the bound on one session. Lowering: guardian or admin; raising: admin.
    function setMaxScorePerSession(uint256 newMax) external;

    /// @notice Moves tokens of the caller into the float (allowance needed).
    function fund(uint256 amount) external;

    /// @notice Moves tokens out of the float. Admin only.
    function withdraw(address to, uint256 amount) external;
}
