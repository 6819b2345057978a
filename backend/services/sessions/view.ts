import { listScoreProblems, type ScoreProblem } from "../../../domain/rewards.ts";
import { type BlockFinality, isDemoSession, type SnapshotState, toFinality } from "../../../domain/session.ts";
import { toIso } from "../../../domain/time.ts";
import type { LiveView } from "../../ports/live.ts";
import type { SessionRow } from "../../ports/store/sessions.ts";

/** Problems of sessions whose score was never meant to be signed. */
const NEVER_SIGNED: readonly ScoreProblem[] = ["SOURCE_NOT_ELIGIBLE", "SESSION_NOT_ENDED", "NO_POINTS"];

/** The snapshot state of a session's score; after `prepared` it follows from the chain only. */
function toSnapshotState(row: SessionRow, finality: BlockFinality): SnapshotState {
  const problems = listScoreProblems(row);
  if (NEVER_SIGNED.some((problem) => problems.includes(problem))) return "none";
  if (row.snapshotBlock !== null) return toFinality(row.snapshotBlock, finality);
  if (problems.includes("FORFEITED")) return "forfeited";
  return row.preparedAtMs === null ? "required" : "prepared";
}

/** The snapshot of a session's score, as every response shows it. */
export const toSnapshotView = (row: SessionRow, finality: BlockFinality) => ({
  state: toSnapshotState(row, finality),
  gameSessionHash: row.gameSessionHash,
  txHash: row.snapshotTxHash,
});

/** The public record of a session: its stored row, and its live state (null if it does not run). */
export function toSessionView(
  row: SessionRow,
  running: LiveView | null,
  finality: BlockFinality,
  { spectatorsMax, isTest }: { readonly spectatorsMax: number; readonly isTest: boolean },
) {
  return {
    sessionId: row.sessionId,
    slug: row.slug,
    source: row.source,
    walletAddress: row.wallet,
    agentId: row.agentId,
    agentName: row.agentName,
    ...(isDemoSession(row) ? { demo: true as const } : {}),
    ...(isTest && row.source === "agent_api" ? { test: true as const } : {}),
    // A session has ended once that is stored: until then a crash could lose its last moments, and it would continue.
    phase: running === null || running.phase === "ended" ? row.phase : running.phase,
    startedAt: toIso(row.startedAtMs),
    endedAt: row.endedAtMs === null ? null : toIso(row.endedAtMs),
    endReason: row.endReason,
    score: running?.score ?? row.score,
    tick: running?.tick ?? row.tick,
    joinable: running?.joinable ?? false,
    spectators: running?.spectators ?? { current: 0, max: spectatorsMax },
    seedCommitment: row.seedCommitment,
    replay: row.replayDigest === null ? null : { available: row.source === "agent_api", digest: row.replayDigest },
    snapshot: toSnapshotView(row, finality),
  };
}

/** A verified agent session, as a list of runs shows it. Throws for any other session. */
export function toRunView(row: SessionRow, finality: BlockFinality) {
  const { sessionId, wallet, endedAtMs, endReason, gameSessionHash, replayDigest } = row;
  if (!wallet || endedAtMs === null || endReason === null || !gameSessionHash || !replayDigest)
    throw new Error(`session ${sessionId} is not a verified agent session`);
  return {
    sessionId,
    gameSessionHash,
    walletAddress: wallet,
    agentId: row.agentId,
    agentName: row.agentName,
    score: row.score,
    playSeconds: Math.floor(row.tick / row.tickHz),
    endReason,
    endedAt: toIso(endedAtMs),
    rulesVersion: row.rulesVersion,
    replayDigest,
    snapshot: toSnapshotView(row, finality),
  };
}
