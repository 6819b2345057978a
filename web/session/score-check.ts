/** Derives a score again in the visitor's own browser and says what came out. */
import type { Replay } from "../../backend/domain/replay/replay.ts";
import type { SessionRecord } from "../../client/api.ts";

export interface ScoreCheck {
  readonly ok: boolean;
  readonly text: string;
}

/** Compares a fresh run of the replay with the session's record: score, digests, seed, and hash where there is one. */
export async function checkReplay(replay: Replay, record: SessionRecord): Promise<ScoreCheck> {
  // The hashing code is as large as the rest of the viewer, so it is loaded on the first check.
  const { verifyReplay } = await import("../../client/verify-replay.ts");
  const { gameSessionHash } = record.snapshot;
  const verification = await verifyReplay(replay, {
    ...(record.replay === null ? {} : { replayDigest: record.replay.digest }),
    ...(gameSessionHash === null ? {} : { gameSessionHash }),
    seedCommitment: record.seedCommitment,
  });
  if (verification.ok && verification.finalScore === record.score) {
    return { ok: true, text: `${verification.verdict}. Played again here: ${verification.finalScore}, as recorded` };
  }
  const fields = verification.differences.map(({ field }) => field).join(", ") || "score";
  const verdict = verification.ok ? "DIVERGED" : verification.verdict;
  return { ok: false, text: `${verdict}. Played again here: ${verification.finalScore}. It differs in ${fields}.` };
}
