/** The end of a session from what the store has of it. */
import type { Hex } from "viem";
import { buildSeedFields, type Recording, type RewardsChain } from "../domain/replay/build-replay.ts";
import { computeGameSessionHash, computeReplayDigest } from "../domain/replay/replay.ts";
import { getRulesHash } from "../games/rules-hash.ts";
import type { EndedSession, SessionRow } from "../ports/store/sessions.ts";

/** A stored session that ends with the score and the tick that were recorded last. */
export function createRecordedEnd(row: SessionRow, recording: Recording, endedAtMs: number): EndedSession {
  const { sessionId, slug, rulesVersion, tickHz, entropy, tick, score } = row;
  const { inputs, stateDigests, pauses } = recording;
  const rulesHash = getRulesHash(slug, rulesVersion);
  const endReason = "server_restart";
  const seedFields = buildSeedFields(row, { pauses, rulesHash });
  const core = {
    ...seedFields,
    slug,
    rulesVersion,
    tickHz,
    inputs,
    ticks: tick,
    finalScore: score,
    endReason,
  } as const;
  const facts = { sessionId, endedAtMs, endReason, score, tick, inputs, stateDigests } as const;
  return { ...facts, entropy, pauses, rulesHash, replayDigest: computeReplayDigest(core) };
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
