// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Events and errors of the rewards contract
/// @notice Split from IRewardsV2, which inherits it, so that each file is read at once.
interface IRewardsEvents {
    /// @notice The session's sequence was consumed (or cancelled) before.
    /// @param wallet The wallet.
    /// @param gameSessionHash The session.
    error SessionAlreadyConsumed(address wallet, bytes32 gameSessionHash);

    /// @notice The session was not cancelled, so there is nothing to undo.
    /// @param wallet The wallet.
    /// @param gameSessionHash The session.
    error SessionNotCancelled(address wallet, bytes32 gameSessionHash);

    /// @notice A session's score is zero or does not fit 40 bits.
    /// @param score The score.
    /// @param max 2^40 - 1.
    error ScoreOutOfRange(uint256 score, uint256 max);

    /// @notice A batch without items.
    error EmptyBatch();

    /// @notice Payouts are sent by the wallet itself or the operator.
    /// @param caller Who called.
    error NotWalletOrOperator(address caller);

    /// @notice The payout would transfer less than the caller wants.
    /// @param amount What it would transfer now, in base units.
    /// @param leastAmount What the caller wants at least.
    error PayoutTooSmall(uint256 amount, uint256 leastAmount);

    /// @notice There is nothing to pay.
    /// @param wallet The wallet.
    error ScorebankEmpty(address wallet);

    /// @notice The scorebank is below the least that is paid.
    /// @param score Points of the scorebank.
    /// @param minScore Least number of points that is paid.
    error BelowMinimum(uint256 score, uint256 minScore);

    /// @notice The cooldown of the wallet is not over.
    /// @param nextPayoutAt Unix second at which the cooldown is over.
    error CooldownActive(uint256 nextPayoutAt);

    /// @notice The day's or the week's cap leaves less than `minScore` points.
    /// @param remaining What the caps leave, in token base units.
    error CapExceeded(uint256 remaining);

    /// @notice The contract holds fewer tokens than the payout needs.
    /// @param available Tokens in the contract, in base units.
    /// @param needed What the payout transfers, in base units.
    error FloatTooLow(uint256 available, uint256 needed);

    /// @notice The wallet has no primary identity. It mints one, or chooses one that it owns with `setPrimaryIdentity`.
    /// @param wallet The wallet.
    error IdentityRequired(address wallet);

    /// @notice The identity has not been the wallet's primary one for a whole cooldown.
    /// @param wallet The wallet.
    /// @param nextPayoutAt Unix second at which a whole cooldown has passed.
    error IdentityTooNew(address wallet, uint256 nextPayoutAt);

    /// @notice A limit is outside its range.
    /// @param value What was given.
    /// @param least The least it may be.
    /// @param most The most it may be.
    error LimitOutOfRange(uint256 value, uint256 least, uint256 most);

    /// @notice `minScore <= maxPayout <= dailyCap <= weeklyCap` does not hold. All in score points.
    /// @param minScore Least number of points that is paid.
    /// @param maxPayout Most that one payout takes.
    /// @param dailyCap The day's cap.
    /// @param weeklyCap The week's cap.
    error LimitsContradict(uint256 minScore, uint256 maxPayout, uint256 dailyCap, uint256 weeklyCap);

    /// @notice A session was added to a scorebank. If its score is above `maxScorePerSession`, `PointsVoided` follows at once
    /// and takes out what is above.
    /// @param wallet The player.
    /// @param gameId The game.
    /// @param gameSessionHash The session.
    /// @param score Its points.
    /// @param scorebank Points of the scorebank now.
    event ScoreSnapshot(
        address indexed wallet,
        bytes32 indexed gameId,
        bytes32 indexed gameSessionHash,
        uint256 score,
        uint256 scorebank
    );

    /// @notice A wallet was paid.
    /// @param wallet The wallet.
    /// @param day UTC day (days since 1970-01-01) whose cap it counts against.
    /// @param score Points that were taken from the scorebank.
    /// @param amount Token base units that were transferred.
    /// @param scorebank Points that stay in the scorebank.
    event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount, uint256 scorebank);

    /// @notice A session was consumed without a credit.
    /// @param wallet The wallet.
    /// @param gameSessionHash The session.
    /// @param by The guardian or the admin.
    event SessionCancelled(address indexed wallet, bytes32 indexed gameSessionHash, address indexed by);

    /// @notice A cancelled session may be added again.
    /// @param wallet The wallet.
    /// @param gameSessionHash The session.
    /// @param by The admin.
    event SessionRestored(address indexed wallet, bytes32 indexed gameSessionHash, address indexed by);

    /// @notice Points were taken out of a scorebank without a payout.
    /// @param wallet The wallet.
    /// @param points How many.
    /// @param scorebank Points of the scorebank now.
    /// @param by The guardian or the admin; zero for the part of a score above `maxScorePerSession`.
    event PointsVoided(address indexed wallet, uint256 points, uint256 scorebank, address indexed by);

    /// @notice Voided points were put back.
    /// @param wallet The wallet.
    /// @param points How many.
    /// @param scorebank Points of the scorebank now.
    /// @param by The admin.
    event PointsRestored(address indexed wallet, uint256 points, uint256 scorebank, address indexed by);

    /// @notice The caps changed. Token base units.
    /// @param dailyCap The day's cap.
    /// @param weeklyCap The week's cap.
    event CapsSet(uint256 dailyCap, uint256 weeklyCap);

    /// @notice The bound on one payout changed.
    /// @param maxPayout Token base units.
    event MaxPayoutSet(uint256 maxPayout);

    /// @notice The bound on one session changed.
    /// @param maxScorePerSession Points.
    event MaxScorePerSessionSet(uint256 maxScorePerSession);

    /// @notice Tokens were put into the float through `fund`. A plain transfer raises the float without this event.
    /// @param from Who paid.
    /// @param amount Token base units.
    event FloatFunded(address indexed from, uint256 amount);

    /// @notice Tokens were taken out of the float.
    /// @param to Who received them.
    /// @param amount Token base units.
    event FloatWithdrawn(address indexed to, uint256 amount);
}
