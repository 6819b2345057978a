/** Derives a score again in the visitor's own browser and says what came out. */
import type { Replay } from "../../backend/domain/replay.ts";
import type { SessionRecord } from "../../client/types.ts";

export interface Check {
  readonly ok: boolean;
  readonly text: string;
}

/** Compares a fresh run of the replay with the session's record: score, digests, seed, and hash where there is one. */
export async function checkReplay(replay: Replay, record: SessionRecord): Promise<Check> {
  // Hashing weighs as much as the rest of the viewer: it is fetched when somebody asks.
  const { verifyReplay } = await import("../../client/verify-replay.ts");
  const { gameSessionHash } = record.snapshot;
  const verdict = await verifyReplay(replay, {
    ...(record.replay === null ? {} : { replayDigest: record.replay.digest }),
    ...(gameSessionHash === null ? {} : { gameSessionHash }),
    // Browsers hash by themselves on secure pages only.
    ...(globalThis.crypto?.subtle === undefined ? {} : { seedCommitment: record.seedCommitment }),
  });
  if (verdict.ok && verdict.finalScore === record.score) {
    return { ok: true, text: `Played again here: ${verdict.finalScore}, as recorded` };
  }
  const fields = verdict.differences.map(({ field }) => field).join(", ") || "score";
  return { ok: false, text: `Played again here: ${verdict.finalScore}. It differs in ${fields}.` };
}
