/** Puts all waiting scores on chain, or only the oldest one if the service does not pay for more today. */
import type { Hex } from "../../client/api.ts";
import { isApiError } from "../../client/errors.ts";
import { type FlowOptions, snapshotScore } from "../../client/flows.ts";
import { snapshotScores } from "../../client/snapshot-scores.ts";

export interface BroughtScores {
  readonly scoreDelta: number;
  readonly txHash: Hex | null;
}

/** Null if no score waits. A batch uses more of the daily gas limit than one score. */
export async function bringScores(options: FlowOptions): Promise<BroughtScores | null> {
  try {
    const { sessions, scoreDelta, txHashes } = await snapshotScores(options);
    return sessions.length === 0 ? null : { scoreDelta, txHash: txHashes.at(-1)! };
  } catch (error) {
    if (!isApiError(error, "SPONSORSHIP_EXHAUSTED")) throw error;
    return bringOldest(options);
  }
}

/** The oldest score only; null if none waits. */
export async function bringOldest(options: FlowOptions): Promise<BroughtScores | null> {
  const { mode, scoreDelta, txHash } = await snapshotScore(options);
  return mode === "none" ? null : { scoreDelta, txHash };
}
