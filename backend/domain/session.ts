/** Words and rules of a game session. */

export type SessionSource = "agent_api" | "browser_ws";

export type Phase = "ready" | "running" | "paused" | "ended";

export const END_REASONS = [
  "lives_lost",
  "exit",
  "ended_by_player",
  "heartbeat_timeout",
  "never_joined",
  "disconnect_timeout",
  "max_duration",
  "server_restart",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** `none`: nothing to snapshot. The chain alone moves a session beyond `prepared`. */
export type SnapshotState = "none" | "required" | "prepared" | "included" | "safe" | "final" | "forfeited";

/** How far a transaction's block is from being undone. */
export type Finality = "included" | "safe" | "final";

/** Whether a final score was derived again from its replay; only `verified` ones are ever signed. */
export type VerificationState = "pending" | "verified" | "withheld";

export const SESSION_TIMES = {
  heartbeatSeconds: 15,
  /** Without a heartbeat and without a play socket for so long, the session ends. */
  heartbeatTimeoutSeconds: 60,
  neverJoinedTimeoutSeconds: 120,
  /** From the player's first socket to the first tick. */
  readySeconds: 1,
  /** The game is paused for so long after the player's socket went away. */
  disconnectGraceSeconds: 30,
  /** Heartbeats alone keep a session whose player's socket went away for so long, then it ends (`disconnect_timeout`). */
  awaySeconds: 5 * 60,
  maxDurationSeconds: 30 * 60,
  /** A session found open after a restart waits so long for its player. */
  restartGraceSeconds: 30,
  pauseCount: 3,
  pauseSeconds: 60,
} as const;

export const isEligible = (session: { source: SessionSource }): boolean => session.source === "agent_api";
