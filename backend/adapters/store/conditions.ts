/**
 * Conditions of partial indexes. Tables and queries share them, with literals: a planner uses a partial index only if
 * the query's condition is textually the index's. Released migrations use them: to change a condition, add a new one,
 * with a migration for its index.
 */
import { type RawBuilder, sql } from "kysely";

export const IS_OPEN: RawBuilder<boolean> = sql<boolean>`phase <> 'ended'`;
export const IS_ENDED: RawBuilder<boolean> = sql<boolean>`phase = 'ended'`;
export const IS_AGENT_SESSION: RawBuilder<boolean> = sql<boolean>`source = 'agent_api'`;
export const IS_OPEN_AGENT_SESSION: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase <> 'ended'`;
/** Sessions whose score counts: played by an agent, ended, and not withheld. */
export const IS_RANKED: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase = 'ended' and verification <> 'withheld'`;
export const IS_UNVERIFIED: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase = 'ended' and verification = 'pending'`;
/**
 * Sessions whose score is on chain or may still get there. Scores are never negative, but with `<> 0` the planner does
 * not use the ranking's index for a range.
 */
export const IS_CLAIMABLE: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase = 'ended' and verification <> 'withheld' and score <> 0 and forfeited_at_ms is null`;
/** The sessions of `IS_CLAIMABLE` that are not on chain. */
export const IS_PENDING: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase = 'ended' and verification <> 'withheld' and score <> 0 and forfeited_at_ms is null and is_on_chain = 0`;
export const HAS_FORFEITED_TIER: RawBuilder<boolean> = sql<boolean>`forfeited_tier is not null`;

/** Scores that their replays have confirmed. */
export const IS_VERIFIED: RawBuilder<boolean> = sql<boolean>`verification = 'verified'`;
/** Verified sessions of agents: the public runs of a game. */
export const IS_RUN: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and verification = 'verified'`;
/**
 * The UTC calendar period in which a session ended, as an integer; `toPeriodNumber` converts a time to the same form.
 */
export const ENDED_PERIODS = {
  day: sql<number>`(ended_at_ms / 86400000)`,
  week: sql<number>`((ended_at_ms - 345600000) / 604800000)`,
  month: sql<number>`cast(strftime('%Y%m', ended_at_ms / 1000, 'unixepoch') as integer)`,
} as const;
/** Standings with points; written like `IS_CLAIMABLE`, for the planner. */
export const HAS_SCORED: RawBuilder<boolean> = sql<boolean>`score <> 0`;

/** Events that `chain_totals` sums. */
export const IS_SUMMED_EVENT: RawBuilder<boolean> = sql<boolean>`name in ('ScoreSnapshot', 'Payout')`;
/** Events that change a scorebank. */
export const IS_BANK_EVENT: RawBuilder<boolean> = sql<boolean>`name in ('ScoreSnapshot', 'Payout', 'PointsVoided', 'PointsRestored')`;
export const IS_SNAPSHOT: RawBuilder<boolean> = sql<boolean>`name = 'ScoreSnapshot'`;
export const IS_REGISTRATION: RawBuilder<boolean> = sql<boolean>`name = 'Registered'`;

/** Practice sessions that are over. */
export const IS_ENDED_PRACTICE: RawBuilder<boolean> = sql<boolean>`source = 'browser_ws' and phase = 'ended'`;
/** Documents of registrations whose mint is not known yet. */
export const IS_UNMINTED: RawBuilder<boolean> = sql<boolean>`wallet is not null`;
/** Signatures of identity mints: the kind is `MintIdentity:` and the contract. */
export const IS_MINT_SIGNING: RawBuilder<boolean> = sql<boolean>`substr(kind, 1, 13) = 'MintIdentity:'`;

/** Listings that others may see. */
export const IS_VISIBLE: RawBuilder<boolean> = sql<boolean>`visible = 1`;

/** Visible listings that could be bought when they were last checked. */
export const IS_OFFERED: RawBuilder<boolean> = sql<boolean>`visible = 1 and fillable = 1`;

export const IS_OPEN_PAYOUT: RawBuilder<boolean> = sql<boolean>`status in ('pending', 'sent')`;
/** Payouts and transactions that the chain may still change. */
export const IS_NOT_SETTLED: RawBuilder<boolean> = sql<boolean>`settled_at_ms is null`;
/** A wallet opens one payout at a time; another may be open because a reorganization reopened it. */
export const IS_FIRST_OPEN_PAYOUT: RawBuilder<boolean> = sql<boolean>`status in ('pending', 'sent') and reopened_at_ms is null`;
/** Transactions that have no block. */
export const IS_WAITING: RawBuilder<boolean> = sql<boolean>`settled_at_ms is null and block is null`;

export const IS_UNSETTLED: RawBuilder<boolean> = sql<boolean>`closed_at_ms is null`;
/** Seasons of the league whose round is not finished. */
export const IS_CURRENT_SEASON: RawBuilder<boolean> = sql<boolean>`finished_at_ms is null`;
/** Seasons whose round was played. */
export const IS_PLAYED_SEASON: RawBuilder<boolean> = sql<boolean>`round is not null`;
export const IS_OPEN_COMMAND: RawBuilder<boolean> = sql<boolean>`done_at_ms is null`;
