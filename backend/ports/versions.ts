/** The facts that responses of public reads depend on. Each has a version that changes with the fact. */
export interface Versions {
  /** The boards of the leaderboard, and the names of their players. */
  standings(): number;
  /** Verified runs and their snapshots as they are stored. */
  runs(): number;
  /** Seasons of the league, and how many policies they have. */
  league(): number;
  /** The running sessions: phase, score, tick, spectators. */
  live(): number;
  /** The chain's head as indexed, and its finality. */
  chain(): string;
  /** The UTC day; the calendar periods of leaderboards and runs begin at its start. */
  day(): number;
}

export type Fact = keyof Versions;
