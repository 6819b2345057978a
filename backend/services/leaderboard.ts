import { boardOf, type Period, type Sort } from "../domain/leaderboard.ts";
import { isoOf } from "../domain/time.ts";
import type { Clock, StandingStore } from "../ports.ts";

interface LeaderboardPorts {
  readonly store: StandingStore;
  readonly clock: Pick<Clock, "nowMs">;
}

export type Leaderboard = ReturnType<typeof makeLeaderboard>;

/** Who stands where, of verified agent sessions alone. */
export function makeLeaderboard({ store, clock }: LeaderboardPorts) {
  return {
    /** `slug` null: all games together. Periods are the calendar's, in UTC. */
    async list(query: {
      readonly slug: string | null;
      readonly period: Period;
      readonly sortBy: Sort;
      readonly hideZero: boolean;
      readonly page: number;
      readonly limit: number;
    }) {
      const { slug, period, sortBy, hideZero, page, limit } = query;
      const board = boardOf(slug, period, clock.nowMs());
      const { items, total } = await store.page({ board, sort: sortBy, hideZero, page, limit });
      const entries = items.map((row, index) => ({
        rank: (page - 1) * limit + index + 1,
        walletAddress: row.wallet,
        agentId: row.agentId,
        agentName: row.profileName ?? row.agentName,
        score: row.score,
        totalScore: row.totalScore,
        sessions: row.sessions,
        lastPlayedAt: isoOf(row.lastPlayedAtMs),
      }));
      return { items: entries, entries, page, limit, total };
    },
  };
}
