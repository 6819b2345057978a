import { type Address, type Hex, zeroAddress } from "viem";
import { UNPUBLISHED_RULES } from "../../games/rules-hash.ts";
import { ArcadeError } from "../errors.ts";
import type { EndReason } from "../session.ts";
import type { Replay, ReplayCore, ReplayInput, ReplayPause } from "./replay.ts";
import { computeGameSeed, NO_ENTROPY } from "./seed.ts";

/** The chain and the rewards contract of this service's scores. */
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
  /** Null if no player has joined. */
  readonly entropy: Hex | null;
  readonly seedCommitment: Hex;
  readonly transcriptSignature?: Hex | null;
}

/** The stored facts of a session's run. */
export interface Recording {
  readonly inputs: readonly ReplayInput[];
  readonly pauses: readonly ReplayPause[];
  /** Set when the session ends; null before. */
  readonly rulesHash: Hex | null;
}

/** The fields of a session that decide the seed of its game. */
type SeededSession = Pick<RecordedSession, "seed" | "seedCommitment" | "entropy">;

/** The seed of a session's game: `seed` is the service's part. */
export const getGameSeed = ({ seed, entropy }: Pick<SeededSession, "seed" | "entropy">): Hex =>
  computeGameSeed(seed, entropy ?? NO_ENTROPY);

/** Version, seed, rules and pauses of a session's replay. */
export function buildSeedFields(
  row: SeededSession,
  { pauses, rulesHash }: Pick<Recording, "pauses" | "rulesHash">,
): Pick<ReplayCore, "v" | "seed" | "serverSeed" | "seedCommitment" | "entropy" | "rulesHash" | "pauses"> {
  const { seed: serverSeed, seedCommitment, entropy } = row;
  return {
    v: 2,
    seed: getGameSeed(row),
    serverSeed,
    seedCommitment,
    entropy: entropy ?? NO_ENTROPY,
    rulesHash: rulesHash ?? UNPUBLISHED_RULES,
    pauses,
  };
}

/**
 * The replay of an ended session, built from its row and its recording. A practice session has sequence 0 and the zero
 * address. Throws `SESSION_NOT_ENDED`.
 */
export function buildReplay(row: RecordedSession, recording: Recording, chain: RewardsChain): Replay {
  if (row.endReason === null) {
    throw new ArcadeError("SESSION_NOT_ENDED", `Session ${row.sessionId} has not ended: it has no replay yet.`);
  }
  return {
    ...buildSeedFields(row, recording),
    slug: row.slug,
    rulesVersion: row.rulesVersion,
    tickHz: row.tickHz,
    inputs: recording.inputs,
    ticks: row.tick,
    finalScore: row.score,
    endReason: row.endReason,
    sessionId: row.sessionId,
    wallet: row.wallet ?? zeroAddress,
    chainId: chain.chainId,
    rewards: chain.rewards,
    sequence: (row.sequence ?? 0n).toString(),
    ...(row.transcriptSignature ? { transcriptSignature: row.transcriptSignature } : {}),
  };
}
