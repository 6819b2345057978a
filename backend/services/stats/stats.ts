import { type Period, type Sort, toBoardKey } from "../../../domain/leaderboard.ts";
import { DAY_SECONDS, toIso } from "../../../domain/time.ts";
import type { ChainFacts, ChainIndex } from "../../ports/chain.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { ChainStore } from "../../ports/store/chain.ts";
import type { NewsletterStore, StandingRow, StandingStore } from "../../ports/store/stats.ts";
import type { Clock } from "../../ports/system.ts";
import type { PageQuery } from "../../ports/types.ts";
import { toAsOf } from "../chain-reads.ts";

interface StatsPorts {
  readonly standings: Pick<StandingStore, "getTotals" | "getPage" | "search">;
  readonly newsletter: NewsletterStore;
  readonly chainStore: Pick<ChainStore, "getTotals">;
  readonly chain: Pick<ChainFacts, "deployment" | "getTokenInfo" | "getRewardsState">;
  readonly index: Pick<ChainIndex, "getStoredHead" | "getFinality">;
  readonly live: Pick<LiveSessions, "getTotals">;
  readonly clock: Pick<Clock, "nowMs">;
  /** The slugs of all games. */
  readonly slugs: readonly string[];
}

export interface LeaderboardQuery extends PageQuery {
  /** Null: all games together. */
  readonly slug: string | null;
  /** A calendar period in UTC. */
  readonly period: Period;
  readonly sortBy: Sort;
  readonly hideZero: boolean;
}

export const FOUND_AGENTS_MAX = 20;

const toAgentView = (row: StandingRow) => ({
  walletAddress: row.wallet,
  agentId: row.agentId,
  agentName: row.profileName ?? row.agentName,
  score: row.score,
  totalScore: row.totalScore,
  sessions: row.sessions,
  lastPlayedAt: toIso(row.lastPlayedAtMs),
  sessionId: row.bestSessionId,
  gameSessionHash: row.bestGameSessionHash,
});

/** Sums over all players, the leaderboard, and the newsletter's addresses. */
export class Stats {
  readonly #ports: StatsPorts;

  constructor(ports: StatsPorts) {
    this.#ports = ports;
  }

  /** Verified agent sessions, and the running ones. `slug` null: all games together. */
  async getSummary(slug: string | null) {
    const { standings, live, slugs } = this.#ports;
    const totals = await standings.getTotals(toBoardKey(slug, "all", 0));
    const running = (slug === null ? slugs : [slug]).map((name) => live.getTotals(name, "agent_api"));
    return {
      game: slug,
      sessions: totals.sessions,
      players: totals.players,
      liveSessions: running.reduce((sum, game) => sum + game.sessions, 0),
      spectators: running.reduce((sum, game) => sum + game.spectators, 0),
      highScore: totals.highScore,
      totalScore: totals.totalScore,
      playSeconds: Math.floor(totals.playMs / 1000),
    };
  }

  /** Token and rewards as of one block; "today" is the UTC day of that block's time, as in the rewards contract. */
  async getTokenomics() {
    const { chain, chainStore, index } = this.#ports;
    const [token, facts] = await Promise.all([chain.getTokenInfo(), chain.getRewardsState()]);
    const { number: block, timestamp } = facts.asOf;
    const sinceSeconds = timestamp - (timestamp % DAY_SECONDS);
    const { snapshots, payouts, paid, paidSince } = await chainStore.getTotals({ block, sinceSeconds });
    return {
      token,
      totalSupply: facts.totalSupply.toString(),
      float: facts.float.toString(),
      paidToday: paidSince.toString(),
      paidTotal: paid.toString(),
      dailyCap: facts.dailyCap.toString(),
      weeklyCap: facts.weeklyCap.toString(),
      scoreToTokenRate: facts.scoreToTokenRate.toString(),
      snapshots,
      payouts,
      asOf: toAsOf(index, facts.asOf),
    };
  }

  /** One page of a leaderboard of verified agent sessions. */
  async listLeaderboard({ slug, period, sortBy, hideZero, page, limit }: LeaderboardQuery) {
    const { standings, clock } = this.#ports;
    const board = toBoardKey(slug, period, clock.nowMs());
    const { items, total } = await standings.getPage({ board, sort: sortBy, hideZero, page, limit });
    const entries = items.map((row, position) => ({
      rank: (page - 1) * limit + position + 1,
      ...toAgentView(row),
    }));
    return { items: entries, page, limit, total };
  }

  /** Agents whose name contains the text, or whose number or wallet it is; those with the best scores first. */
  async searchAgents(text: string) {
    const board = toBoardKey(null, "all", 0);
    return (await this.#ports.standings.search({ board, text, limit: FOUND_AGENTS_MAX })).map(toAgentView);
  }

  /** Adds an address to the newsletter. The result is the same for known addresses, so that none can be probed. */
  async subscribe(email: string): Promise<{ readonly subscribed: true }> {
    const { newsletter, clock } = this.#ports;
    await newsletter.add({ email: email.toLowerCase(), createdAtMs: clock.nowMs() });
    return { subscribed: true };
  }
}
