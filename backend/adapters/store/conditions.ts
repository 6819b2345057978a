/**
 * Conditions that partial indexes rest on. They are spelled with literals, once, for tables and queries alike: a
 * planner uses a partial index only where the query's condition is visibly the index's own. Released migrations build on
 * them: a condition that has to change becomes a new one, with a migration for its index.
 */
import { type RawBuilder, sql } from "kysely";

export const IS_OPEN: RawBuilder<boolean> = sql<boolean>`phase <> 'ended'`;
export const IS_ENDED: RawBuilder<boolean> = sql<boolean>`phase = 'ended'`;
export const IS_AGENT_SESSION: RawBuilder<boolean> = sql<boolean>`source = 'agent_api'`;
export const IS_OPEN_AGENT_SESSION: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase <> 'ended'`;
/** Sessions whose score counts: played by an agent, over, and not doubted. */
export const IS_RANKED: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase = 'ended' and verification <> 'withheld'`;
/** Ended agent sessions whose score was not derived again yet. */
export const IS_UNVERIFIED: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase = 'ended' and verification = 'pending'`;
/**
 * Sessions whose score may still go on chain; whether it did, the events tell. No score is negative: `<> 0` keeps the
 * planner from taking the condition for a range of the ranking's index.
 */
export const IS_CLAIMABLE: RawBuilder<boolean> = sql<boolean>`source = 'agent_api' and phase = 'ended' and verification <> 'withheld' and score <> 0 and forfeited_at_ms is null`;
export const HAS_FORFEITED_TIER: RawBuilder<boolean> = sql<boolean>`forfeited_tier is not null`;

/** Scores that were derived again from their replays. */
export const IS_VERIFIED: RawBuilder<boolean> = sql<boolean>`verification = 'verified'`;
/** Standings with points; spelled like `IS_CLAIMABLE`'s for the planner's sake. */
export const HAS_SCORED: RawBuilder<boolean> = sql<boolean>`score <> 0`;

/** Events that `chain_totals` sums up. */
export const IS_TOTALLED: RawBuilder<boolean> = sql<boolean>`name in ('ScoreSnapshot', 'Payout')`;
export const IS_SNAPSHOT: RawBuilder<boolean> = sql<boolean>`name = 'ScoreSnapshot'`;

/** Listings that others may see. */
export const IS_VISIBLE: RawBuilder<boolean> = sql<boolean>`visible = 1`;

export const IS_OPEN_PAYOUT: RawBuilder<boolean> = sql<boolean>`status in ('pending', 'sent')`;
export const IS_OPEN_TRANSACTION: RawBuilder<boolean> = sql<boolean>`status in ('queued', 'sent')`;

export const IS_UNSETTLED: RawBuilder<boolean> = sql<boolean>`closed_at_ms is null`;
export const IS_OPEN_ORDER: RawBuilder<boolean> = sql<boolean>`done_at_ms is null`;
