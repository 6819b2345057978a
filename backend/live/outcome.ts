/** What is stored of an ended session. */
import type { Hex } from "viem";
import { buildSeedFields, type Recording, type RewardsChain } from "../../domain/replay/build-replay.ts";
import { computeGameSessionHash, computeReplayDigest } from "../../domain/replay/replay.ts";
import type { EndReason } from "../../domain/session.ts";
import { getRulesHash } from "../../games/rules-hash.ts";
import type { EndedSession, SessionRow } from "../ports/store/sessions.ts";

/** An ended session's data for the store, without the time of its end. */
export type Outcome = Omit<EndedSession, "endedAtMs">;

/** The result of a session that was played up to this tick and score, with the digest of its replay. */
export function buildOutcome(
  row: SessionRow,
  { entropy, tick, score }: Pick<SessionRow, "entropy" | "tick" | "score">,
  { inputs, pauses }: Pick<Recording, "inputs" | "pauses">,
  endReason: EndReason,
): Outcome {
  const { sessionId, slug, rulesVersion, tickHz, seed, seedCommitment } = row;
  const rulesHash = getRulesHash(slug, rulesVersion);
  const seedFields = buildSeedFields({ seed, seedCommitment, entropy }, { pauses, rulesHash });
  const core = { ...seedFields, slug, rulesVersion, tickHz, inputs, ticks: tick, finalScore: score, endReason };
  const replayDigest = computeReplayDigest(core);
  return { sessionId, endReason, score, tick, inputs, entropy, pauses, rulesHash, replayDigest };
}

/** The end of a stored session, with the score and tick that were recorded last. */
export const createRecordedEnd = (row: SessionRow, recording: Recording, endedAtMs: number): EndedSession => ({
  ...buildOutcome(row, row, recording, "server_restart"),
  endedAtMs,
});

/** The hash for which a session's snapshot is signed, with the sequence that the store assigns. */
export function toGameSessionHash(
  chain: RewardsChain,
  { sessionId, wallet, slug }: SessionRow,
  { score: finalScore, replayDigest }: Pick<EndedSession, "score" | "replayDigest">,
  sequence: bigint,
): Hex {
  if (wallet === null) throw new Error(`session ${sessionId} has no wallet and no hash`);
  return computeGameSessionHash({ ...chain, slug, wallet, sessionId, replayDigest, finalScore, sequence });
}
