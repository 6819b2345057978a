/** Checks a score from its replay, in Node and in browsers: no trust in the service is needed for a score on chain. */
import type { Hex } from "viem";
import { parseSequence, type Replay, toGameId } from "../backend/domain/replay/replay.ts";
import {
  parseSeed,
  type ReplayDifference,
  type RulesLookup,
  verifyReplay as verifyRun,
} from "../backend/domain/replay/verify.ts";
import { getRules } from "../backend/games/index.ts";
import type { SnapshotEvent } from "./snapshot-event.ts";

export interface ReplayClaims {
  /** The chain's event, as `findSnapshotEvent` reads it. */
  readonly event?: SnapshotEvent;
  /** From the session's record or the channel's `hello`, given before the first tick. */
  readonly seedCommitment?: Hex;
  /** From the session's record. */
  readonly replayDigest?: Hex;
  readonly gameSessionHash?: Hex;
  /** Where to find the rules; the games of this library when left out. */
  readonly getRules?: RulesLookup;
}

/**
 * `REPRODUCED`: a fresh run gives all that was said. `DIVERGED`: something differs. `CANNOT_RECOMPUTE`: this build does
 * not have the rules, or there is no replay.
 */
export const VERDICTS = ["REPRODUCED", "DIVERGED", "CANNOT_RECOMPUTE"] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface ReplayVerdict {
  readonly ok: boolean;
  readonly verdict: Verdict;
  /** One sentence: why this verdict. */
  readonly reason: string;
  readonly finalScore: number;
  readonly ticks: number;
  readonly replayDigest: Hex;
  /** Null for a session that takes no part in rewards. */
  readonly gameSessionHash: Hex | null;
  /** Empty where everything agrees. `expected`: what the fresh run gives; `received`: what was said. */
  readonly differences: readonly ReplayDifference[];
}

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<Hex> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `0x${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The first differences as a sentence. */
export const toReason = (differences: readonly ReplayDifference[]): string =>
  differences
    .slice(0, 3)
    .map(({ field, expected, received }) => `${field}: expected ${expected}, received ${received}`)
    .join("; ");

/** Unknown rules explain a difference only where nothing on chain contradicts the replay. */
function toVerdict(
  differences: readonly ReplayDifference[],
  finalScore: number,
  { hasRules, isOfEvent }: { readonly hasRules: boolean; readonly isOfEvent: boolean },
): Pick<ReplayVerdict, "verdict" | "reason"> {
  if (differences.length === 0)
    return { verdict: "REPRODUCED", reason: `the replay gives ${finalScore} points, as was said` };
  const verdict = hasRules || !isOfEvent ? "DIVERGED" : "CANNOT_RECOMPUTE";
  return { verdict, reason: toReason(differences) };
}

/**
 * Plays a replay again under its own rules version and compares score, digests, `gameSessionHash` and, where given, the
 * chain's event and the session's record. A wrong replay is a verdict, never an exception.
 */
export async function verifyReplay(replay: Replay, claims: ReplayClaims = {}): Promise<ReplayVerdict> {
  const { event, seedCommitment, replayDigest, gameSessionHash } = claims;
  const result = verifyRun(replay, claims.getRules ?? getRules, {
    ...(replayDigest === undefined ? {} : { replayDigest }),
    ...(gameSessionHash === undefined ? {} : { gameSessionHash }),
  });
  const differences = [...result.differences];
  const compare = (field: string, expected: unknown, received: unknown): void => {
    if (expected !== received) differences.push({ field, expected: String(expected), received: String(received) });
  };
  if (seedCommitment !== undefined) {
    const seed = Uint8Array.from(parseSeed(String(replay.seed)));
    compare("seedCommitment", await sha256Hex(seed), seedCommitment.toLowerCase());
  }
  if (event !== undefined) {
    compare("event.gameSessionHash", result.gameSessionHash, event.gameSessionHash.toLowerCase());
    compare("event.score", String(result.finalScore), event.score);
    compare("event.wallet", String(replay.wallet).toLowerCase(), event.wallet.toLowerCase());
    compare("event.gameId", toGameId(String(replay.slug).slice(0, 32)), event.gameId.toLowerCase());
    compare("event.rewards", String(replay.rewards).toLowerCase(), event.rewards.toLowerCase());
    compare("event.chainId", replay.chainId, event.chainId);
    compare("event.sequence", replay.sequence, parseSequence(event.gameSessionHash).toString());
  }
  const hasRules = Boolean((claims.getRules ?? getRules)(replay.slug, replay.rulesVersion));
  const isOfEvent = event === undefined || event.gameSessionHash.toLowerCase() === result.gameSessionHash;
  return {
    ok: differences.length === 0,
    ...toVerdict(differences, result.finalScore, { hasRules, isOfEvent }),
    finalScore: result.finalScore,
    ticks: result.ticks,
    replayDigest: result.replayDigest,
    gameSessionHash: result.gameSessionHash,
    differences,
  };
}
