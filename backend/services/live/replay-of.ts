import { ArcadeError } from "../../domain/errors.ts";
import type { Replay } from "../../domain/replay.ts";
import type { SessionRow, SessionStore } from "../../ports/store-sessions.ts";

/** Which chain and which rewards contract the scores of this service are for. */
export interface RewardsChain {
  readonly chainId: number;
  readonly rewards: `0x${string}`;
}

const NO_WALLET = "0x0000000000000000000000000000000000000000";

/** The replay of an ended session, from its row and its recording. A practice session has sequence 0. */
export function buildReplay(
  row: SessionRow,
  recording: Awaited<ReturnType<SessionStore["recording"]>>,
  chain: RewardsChain,
): Replay {
  if (row.endReason === null) {
    throw new ArcadeError("SESSION_NOT_ENDED", `Session ${row.sessionId} has not ended: it has no replay yet.`);
  }
  return {
    v: 1,
    slug: row.slug,
    rulesVersion: row.rulesVersion,
    tickHz: row.tickHz,
    seed: row.seed,
    inputs: recording.inputs,
    ticks: row.tick,
    finalScore: row.score,
    endReason: row.endReason,
    stateDigests: recording.stateDigests,
    sessionId: row.sessionId,
    wallet: row.wallet ?? NO_WALLET,
    chainId: chain.chainId,
    rewards: chain.rewards,
    sequence: (row.sequence ?? 0n).toString(),
  };
}
