import { type Address, type Hex, zeroAddress } from "viem";
import { ArcadeError } from "../errors.ts";
import type { EndReason } from "../session.ts";
import type { Replay, ReplayInput } from "./replay.ts";

/** The chain and the rewards contract that the scores of this service are for. */
export interface RewardsChain {
  readonly chainId: number;
  readonly rewards: Address;
}

interface RecordedSession {
  readonly sessionId: string;
  readonly slug: string;
  readonly wallet: Address | null;
  readonly rulesVersion: number;
  readonly tickHz: number;
  readonly seed: Hex;
  readonly tick: number;
  readonly score: number;
  readonly endReason: EndReason | null;
  readonly sequence: bigint | null;
}

/**
 * The replay of an ended session, made of its row and its recording. A practice session has sequence 0 and the zero
 * address. Throws `SESSION_NOT_ENDED`.
 */
export function buildReplay(
  row: RecordedSession,
  recording: { readonly inputs: readonly ReplayInput[]; readonly stateDigests: readonly Hex[] },
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
    wallet: row.wallet ?? zeroAddress,
    chainId: chain.chainId,
    rewards: chain.rewards,
    sequence: (row.sequence ?? 0n).toString(),
  };
}
