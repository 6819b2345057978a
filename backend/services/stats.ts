import { boardOf } from "../domain/leaderboard.ts";
import type { ChainReader, ChainStore, LiveSessions, StandingStore } from "../ports.ts";
import { asOfNow } from "./as-of.ts";

interface StatsPorts {
  readonly standings: Pick<StandingStore, "totals">;
  readonly chainStore: Pick<ChainStore, "totals">;
  readonly chain: ChainReader;
  readonly live: Pick<LiveSessions, "totals">;
  /** Every slug there is. */
  readonly slugs: readonly string[];
  /** Waits a moment until the follower has seen the chain's head. */
  readonly freshen: () => Promise<void>;
}

export type Stats = ReturnType<typeof makeStats>;

const DAY_SECONDS = 86_400;

/** Sums over everybody: of the games, and of the token. */
export function makeStats({ standings, chainStore, chain, live, slugs, freshen }: StatsPorts) {
  return {
    /** Verified agent sessions, and what agents play right now. `slug` null: all games together. */
    async summary(slug: string | null) {
      const { players, sessions, highScore, totalScore, playMs } = await standings.totals(boardOf(slug, "all", 0));
      const running = (slug === null ? slugs : [slug]).map((name) => live.totals(name, "agent_api"));
      return {
        game: slug,
        sessions,
        players,
        liveSessions: running.reduce((sum, game) => sum + game.sessions, 0),
        spectators: running.reduce((sum, game) => sum + game.spectators, 0),
        highScore,
        totalScore,
        playSeconds: Math.floor(playMs / 1000),
      };
    },

    /** Contracts and events as of one block; today is the UTC day of that block's time, as in the rewards contract. */
    async tokenomics() {
      await freshen();
      const [token, facts] = await Promise.all([chain.token(), chain.rewardsFacts()]);
      const { number: block, timestamp } = facts.asOf;
      const sinceSeconds = timestamp - (timestamp % DAY_SECONDS);
      const { snapshots, payouts, paid, paidSince } = await chainStore.totals({ block, sinceSeconds });
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
        asOf: await asOfNow(chain, facts.asOf),
      };
    },
  };
}
