/** Rules of rewards: why a session's score may not be signed, and why a wallet may not be paid. */
import { ArcadeError, type ErrorCode } from "./errors.ts";
import type { Phase, SessionSource, VerificationState } from "./session.ts";
import { toIso } from "./time.ts";

/** The facts of a session that decide whether its score may be signed; every stored session fits. */
export interface ScoreFacts {
  readonly source: SessionSource;
  readonly phase: Phase;
  readonly score: number;
  readonly verification: VerificationState;
  readonly forfeitedAtMs: number | null;
  /** The block of the session's snapshot event, null while there is none. */
  readonly snapshotBlock: number | null;
}

/** Why no snapshot of a session can be signed. */
export const SCORE_PROBLEMS = [
  "SOURCE_NOT_ELIGIBLE",
  "SESSION_NOT_ENDED",
  "NO_POINTS",
  "ALREADY_ON_CHAIN",
  "FORFEITED",
  "CANCELLED",
  "WITHHELD",
] as const;
export type ScoreProblem = (typeof SCORE_PROBLEMS)[number];

/**
 * Every reason why no snapshot of the session can be signed, in the order of `SCORE_PROBLEMS`; none: it can.
 * `isConsumed`: the rewards contract has consumed the session's sequence; without a snapshot this means that the
 * guardian cancelled it. The store's condition for pending sessions is the same rule without that fact.
 */
export function listScoreProblems(session: ScoreFacts, isConsumed = false): readonly ScoreProblem[] {
  const isEnded = session.phase === "ended";
  const isOnChain = session.snapshotBlock !== null;
  const applies: { readonly [problem in ScoreProblem]: boolean } = {
    SOURCE_NOT_ELIGIBLE: session.source !== "agent_api",
    SESSION_NOT_ENDED: !isEnded,
    NO_POINTS: isEnded && session.score === 0,
    ALREADY_ON_CHAIN: isOnChain,
    FORFEITED: session.forfeitedAtMs !== null && !isOnChain,
    CANCELLED: isConsumed && !isOnChain,
    WITHHELD: session.verification === "withheld",
  };
  return SCORE_PROBLEMS.filter((problem) => applies[problem]);
}

/** The code that a caller sees for each problem. */
export const SCORE_PROBLEM_CODES = {
  SOURCE_NOT_ELIGIBLE: "SOURCE_NOT_ELIGIBLE",
  SESSION_NOT_ENDED: "SESSION_NOT_ENDED",
  NO_POINTS: "NOTHING_TO_SNAPSHOT",
  ALREADY_ON_CHAIN: "NOTHING_TO_SNAPSHOT",
  FORFEITED: "NOTHING_TO_SNAPSHOT",
  CANCELLED: "NOTHING_TO_SNAPSHOT",
  WITHHELD: "REPLAY_MISMATCH",
} as const satisfies { readonly [problem in ScoreProblem]: ErrorCode };

/** The error of a request that needs a score with this problem. */
export function createScoreError(
  problem: ScoreProblem,
  session: ScoreFacts & { readonly sessionId: string },
): ArcadeError {
  const { sessionId, forfeitedAtMs } = session;
  const messages: { readonly [name in ScoreProblem]: string } = {
    SOURCE_NOT_ELIGIBLE: "Practice sessions do not count for rewards; play with source agent_api.",
    SESSION_NOT_ENDED: `Session ${sessionId} is still being played; end it first.`,
    NO_POINTS: `Session ${sessionId} ended with no points.`,
    ALREADY_ON_CHAIN: `The score of session ${sessionId} is on chain already.`,
    FORFEITED: `The score of session ${sessionId} was given up at ${toIso(forfeitedAtMs ?? 0)}.`,
    CANCELLED: `The score of session ${sessionId} was cancelled on chain, so it cannot be snapshotted.`,
    WITHHELD: `The score of session ${sessionId} is withheld, because its replay does not give it; the server has logged this for the operator.`,
  };
  return new ArcadeError(SCORE_PROBLEM_CODES[problem], messages[problem], { sessionId });
}

/** Bit `i` of the rewards contract's `readiness().reasons` is the i-th reason here. */
export const READINESS_REASONS = [
  "SCOREBANK_EMPTY",
  "BELOW_MINIMUM",
  "COOLDOWN_ACTIVE",
  "DAILY_CAP",
  "WEEKLY_CAP",
  "FLOAT_EMPTY",
  "PAUSED",
  "IDENTITY_REQUIRED",
  "IDENTITY_TOO_NEW",
] as const;
export type ReadinessReason = (typeof READINESS_REASONS)[number];

export const parseReadinessReasons = (bits: bigint): readonly ReadinessReason[] =>
  READINESS_REASONS.filter((_, index) => (bits >> BigInt(index)) & 1n);
