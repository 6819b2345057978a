/** The end of a session from what the store has of it. */
import type { Hex } from "viem";
import type { RewardsChain } from "../domain/replay/build-replay.ts";
import { computeGameSessionHash, computeReplayDigest } from "../domain/replay/replay.ts";
import type { EndedSession, SessionRow, SessionStore } from "../ports/store/sessions.ts";

/** A stored session that ends with the score and the tick that were recorded last. */
export function createRecordedEnd(
  row: SessionRow,
  { inputs, stateDigests }: Awaited<ReturnType<SessionStore["getRecording"]>>,
  endedAtMs: number,
): EndedSession {
  const { sessionId, slug, rulesVersion, tickHz, seed, tick, score } = row;
  const endReason = "server_restart";
  const core = { v: 1, slug, rulesVersion, tickHz, seed, inputs, ticks: tick, finalScore: score, endReason } as const;
  const facts = { sessionId, endedAtMs, endReason, score, tick, inputs, stateDigests } as const;
  return { ...facts, replayDigest: computeReplayDigest(core) };
}

/** The hash that a session's snapshot is signed for, with the sequence that the store gives it. */
export function toGameSessionHash(
  chain: RewardsChain,
  { sessionId, wallet, slug }: SessionRow,
  { score: finalScore, replayDigest }: Pick<EndedSession, "score" | "replayDigest">,
  sequence: bigint,
): Hex {
  if (wallet === null) throw new Error(`session ${sessionId} has no wallet and no hash`);
  return computeGameSessionHash({ ...chain, slug, wallet, sessionId, replayDigest, finalScore, sequence });
}
