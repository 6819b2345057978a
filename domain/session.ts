/** The states and times of a game session. */

/**
 * Where a session comes from: an agent over the API, whose score may earn rewards, or a person who practices in the
 * browser.
 */
export const SESSION_SOURCES = ["agent_api", "browser_ws"] as const;
export type SessionSource = (typeof SESSION_SOURCES)[number];

/** The name of the service's own agents. Anonymous practice has no name. */
export const DEMO_AGENT_NAME = "Demo agent";

/** A session of the service's own agents: on no board, without rewards, never instead of a player's. */
export const isDemoSession = ({
  source,
  wallet,
  agentName,
}: {
  readonly source: SessionSource;
  readonly wallet: string | null;
  readonly agentName: string | null;
}): boolean => source === "browser_ws" && wallet === null && agentName === DEMO_AGENT_NAME;

export const PHASES = ["ready", "running", "paused", "ended"] as const;
export type Phase = (typeof PHASES)[number];

export const END_REASONS = [
  "lives_lost",
  "exit",
  "ended_by_player",
  "heartbeat_timeout",
  "never_joined",
  "disconnect_timeout",
  "max_duration",
  "server_restart",
  /** A practice session that ended to make room for another session. */
  "yielded",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** How final a transaction's block is. */
export const FINALITIES = ["included", "safe", "final"] as const;
export type Finality = (typeof FINALITIES)[number];

/** Up to these numbers, blocks are safe and final. */
export interface BlockFinality {
  readonly safe: number;
  readonly final: number;
}

export function toFinality(block: number, { safe, final }: BlockFinality): Finality {
  if (block <= final) return "final";
  return block <= safe ? "safe" : "included";
}

/** `none`: nothing to snapshot. Only the chain moves a session beyond `prepared`. */
export const SNAPSHOT_STATES = ["none", "required", "prepared", ...FINALITIES, "forfeited"] as const;
export type SnapshotState = (typeof SNAPSHOT_STATES)[number];

/** Whether a final score was recomputed from its replay; only `verified` ones are ever signed. */
export const VERIFICATION_STATES = ["pending", "verified", "withheld"] as const;
export type VerificationState = (typeof VERIFICATION_STATES)[number];

export const SESSION_TIMES = {
  heartbeatSeconds: 15,
  /** A session with neither a heartbeat nor a play socket ends after this time. */
  heartbeatTimeoutSeconds: 60,
  neverJoinedTimeoutSeconds: 120,
  /** From the player's first socket to the first tick. */
  readySeconds: 1,
  /** How long the game stays paused after the player's socket has closed. */
  disconnectGraceSeconds: 30,
  /**
   * The total of pauses after disconnects; when it is used up, the game continues without input. A deployment may allow
   * less, and a replay with more is invalid.
   */
  disconnectPauseSeconds: 60,
  /** The minimum that one disconnect counts: a pause of less than a tick would gain a whole one. */
  disconnectCostSeconds: 1,
  /** How long heartbeats keep a session without a play socket; then it ends (`disconnect_timeout`). */
  awaySeconds: 5 * 60,
  maxDurationSeconds: 30 * 60,
  /** The longest time that a practice with lockstep waits for a move. */
  lockstepWaitSeconds: 30,
  /** How long a session found open after a restart waits for its player. */
  restartGraceSeconds: 30,
  /** Time between two stores of a session's recording. */
  recordSeconds: 1,
  /**
   * How far a killed service may go back: three times the recorder's interval, because storing many sessions is spread
   * over half a second and the transaction takes time. A client accepts no more.
   */
  rewindSeconds: 3,
  pauseCount: 3,
  pauseSeconds: 60,
} as const;
