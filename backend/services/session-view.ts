import type { SnapshotState } from "../domain/session.ts";
import { isoOf } from "../domain/time.ts";
import type { LiveSessions, SessionRow } from "../ports.ts";
import { finalityOf } from "./as-of.ts";

export interface BlockFinality {
  readonly safe: number;
  readonly final: number;
}

/** Where a session's score stands; beyond `prepared` the chain alone decides. */
export function snapshotStateOf(row: SessionRow, finality: BlockFinality): SnapshotState {
  if (row.source !== "agent_api" || row.phase !== "ended" || row.score === 0) return "none";
  if (row.snapshotBlock !== null) return finalityOf(row.snapshotBlock, finality);
  if (row.forfeitedAtMs !== null) return "forfeited";
  return row.preparedAtMs === null ? "required" : "prepared";
}

/** The public record of a session: what is stored, and what is running right now. */
export function sessionViewOf(row: SessionRow, live: LiveSessions, finality: BlockFinality, spectatorsMax: number) {
  const running = row.phase === "ended" ? null : live.view(row.sessionId);
  return {
    sessionId: row.sessionId,
    slug: row.slug,
    source: row.source,
    walletAddress: row.wallet,
    agentId: row.agentId,
    agentName: row.agentName,
    phase: running?.phase ?? row.phase,
    startedAt: isoOf(row.startedAtMs),
    endedAt: row.endedAtMs === null ? null : isoOf(row.endedAtMs),
    endReason: row.endReason,
    score: running?.score ?? row.score,
    tick: running?.tick ?? row.tick,
    joinable: running?.joinable ?? false,
    spectators: running?.spectators ?? { current: 0, max: spectatorsMax },
    seedCommitment: row.seedCommitment,
    replay: row.replayDigest === null ? null : { available: row.source === "agent_api", digest: row.replayDigest },
    snapshot: {
      state: snapshotStateOf(row, finality),
      gameSessionHash: row.gameSessionHash,
      txHash: row.snapshotTxHash,
    },
  };
}
