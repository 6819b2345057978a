/** Checks a score from its replay, in Node and in browsers, without trusting the service. */
import { getAddress, type Hex, isHex, recoverTypedDataAddress, type TypedDataDefinition } from "viem";
import { parseSequence, type Replay, toGameId } from "../domain/replay/replay.ts";
import { computeSeedCommitment } from "../domain/replay/seed.ts";
import { listShapeProblems } from "../domain/replay/shape.ts";
import { createTranscript } from "../domain/replay/transcript.ts";
import {
  type ReplayDifference,
  type ReplayResult,
  type RulesLookup,
  verifyReplay as verifyRun,
} from "../domain/replay/verify.ts";
import { findGame, getRules } from "../games/index.ts";
import { getRulesHash } from "../games/rules-hash.ts";
import type { SessionRecord } from "./api.ts";
import { checkTranscript } from "./check-transcript.ts";
import type { SnapshotEvent } from "./snapshot-event.ts";
import type { Transcript } from "./transcript.ts";

export interface ReplayClaims {
  /** The chain's event, as `findSnapshotEvent` reads it. */
  readonly event?: SnapshotEvent;
  /** From the session's record or the channel's `hello`, published before the first tick. */
  readonly seedCommitment?: Hex;
  readonly replayDigest?: Hex;
  readonly gameSessionHash?: Hex;
  /** The session's record, instead of the three fields above. */
  readonly session?: SessionRecord;
  /** The player's transcript (`onTranscript` of `playSession`). */
  readonly transcript?: Transcript;
  /** Where to find the rules; this library's games by default. */
  readonly getRules?: RulesLookup;
}

/**
 * `REPRODUCED`: a fresh run matches every claim. `SIGNED_BY_PLAYER`: in addition, the wallet has signed it, which shows
 * who vouches for the run, not that it was played. `DIVERGED`: something differs. `CANNOT_RECOMPUTE`: this build does
 * not have the rules (by version, or by the digest of their files), or there is no replay.
 */
export const VERDICTS = ["REPRODUCED", "SIGNED_BY_PLAYER", "DIVERGED", "CANNOT_RECOMPUTE"] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface ReplayVerdict {
  readonly ok: boolean;
  readonly verdict: Verdict;
  /** The reason, in one sentence. */
  readonly reason: string;
  /** The result of a fresh run; null if anything differs, so that a verdict does not help to forge a replay. */
  readonly finalScore: number | null;
  readonly ticks: number | null;
  readonly replayDigest: Hex;
  /** Null for a session that takes no part in rewards. */
  readonly gameSessionHash: Hex | null;
  /** Empty if everything agrees. `expected` describes what a fresh run gives, without its value. */
  readonly differences: readonly ReplayDifference[];
}

const hashSeed = (seed: string): Hex | null => (isHex(seed) ? computeSeedCommitment(seed) : null);

/** Whether the wallet has signed the replay; null if it did not sign at all. */
async function checkSignature(replay: Replay): Promise<boolean | null> {
  const { transcriptSignature: signature, wallet } = replay;
  if (signature === undefined) return null;
  try {
    // Numbers are decimal strings here and bigints in viem's types; its encoder accepts both.
    const payload = createTranscript(replay) as unknown as TypedDataDefinition;
    return (await recoverTypedDataAddress({ ...payload, signature })) === getAddress(wallet);
  } catch {
    return false;
  }
}

/** The game's id on chain; null for a slug without one. */
function findGameId(slug: string): Hex | null {
  try {
    return toGameId(slug);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Whether these problems prevent a run: an object instead of a text or number may not convert to text. */
const isUnreadable = (replay: Replay, problems: readonly ReplayDifference[]): boolean =>
  !isObject(replay) || problems.some(({ field }) => isObject(replay[field as keyof Replay]));

/** The verdict on a replay that was not run. */
const createUnreadVerdict = (problems: readonly ReplayDifference[]): ReplayVerdict => ({
  ok: false,
  verdict: "DIVERGED",
  reason: toReason(problems),
  differences: problems,
  finalScore: null,
  ticks: null,
  replayDigest: "0x",
  gameSessionHash: null,
});

/** Like `checkTranscript`, but malformed inputs are a difference, not an exception. */
function compareTranscript(replay: Replay, transcript: Transcript | undefined): readonly ReplayDifference[] {
  const game = findGame(replay.slug);
  if (transcript === undefined || game === undefined) return [];
  try {
    return checkTranscript(replay, transcript, game);
  } catch {
    return [{ field: "transcript.inputs", expected: "the inputs of a replay", received: "something else" }];
  }
}

/** Whether the replay's rules are those of this build, by the digest of their files. */
function checkRulesHash(replay: Replay): readonly ReplayDifference[] {
  const expected = getRulesHash(replay.slug, replay.rulesVersion);
  const { rulesHash = "none" } = replay;
  return rulesHash === expected ? [] : [{ field: "rulesHash", expected, received: rulesHash }];
}

/** The first differences as a sentence. */
export const toReason = (differences: readonly ReplayDifference[]): string =>
  differences
    .slice(0, 3)
    .map(({ field, expected, received }) => `${field}: expected ${expected}, received ${received}`)
    .join("; ");

/** The result of a replay. A tick rate other than the default is the operator's choice, and changes the difficulty. */
function describePoints({ slug, tickHz }: Replay, finalScore: number): string {
  const points = `${finalScore} ${finalScore === 1 ? "point" : "points"}`;
  const ownHz = findGame(slug)?.tickHz ?? tickHz;
  return tickHz === ownHz ? points : `${points} at ${tickHz} ticks a second (the game's own rate is ${ownHz})`;
}

/** Unknown rules explain a difference only if nothing on chain contradicts the replay. */
function toVerdict(
  differences: readonly ReplayDifference[],
  points: string,
  facts: { readonly hasRules: boolean; readonly isOfEvent: boolean; readonly isAttested: boolean },
): Pick<ReplayVerdict, "verdict" | "reason"> {
  const { hasRules, isOfEvent, isAttested } = facts;
  if (differences.length === 0 && isAttested)
    return { verdict: "SIGNED_BY_PLAYER", reason: `the replay gives ${points}, and the wallet signed it` };
  if (differences.length === 0)
    return {
      verdict: "REPRODUCED",
      reason: `the replay gives ${points}, as claimed; the wallet has not signed it`,
    };
  const verdict = hasRules || !isOfEvent ? "DIVERGED" : "CANNOT_RECOMPUTE";
  return { verdict, reason: toReason(differences) };
}

/** `words` replace an expected value that would help to forge a replay. */
type Comparison = readonly [field: string, expected: unknown, received: unknown, words?: string];

function compareSeed(replay: Replay, { seedCommitment, session }: ReplayClaims): readonly Comparison[] {
  const claimed = seedCommitment ?? session?.seedCommitment;
  if (claimed === undefined) return [];
  return [["seedCommitment", hashSeed(String(replay.serverSeed)), claimed.toLowerCase(), "sha256 of serverSeed"]];
}

function compareEvent(replay: Replay, result: ReplayResult, event: SnapshotEvent | undefined): readonly Comparison[] {
  if (event === undefined) return [];
  return [
    ["event.gameSessionHash", result.gameSessionHash, event.gameSessionHash.toLowerCase(), "the hash of this replay"],
    ["event.score", String(result.finalScore), event.score, "what a fresh run gives"],
    ["event.wallet", String(replay.wallet).toLowerCase(), event.wallet.toLowerCase()],
    ["event.gameId", findGameId(String(replay.slug)), event.gameId.toLowerCase()],
    ["event.rewards", String(replay.rewards).toLowerCase(), event.rewards.toLowerCase()],
    ["event.chainId", replay.chainId, event.chainId],
    ["event.sequence", replay.sequence, parseSequence(event.gameSessionHash).toString()],
  ];
}

const toDifferences = (comparisons: readonly Comparison[]): readonly ReplayDifference[] =>
  comparisons
    .filter(([, expected, received]) => expected !== received)
    .map(([field, expected, received, words]) => ({
      field,
      expected: words ?? String(expected),
      received: String(received),
    }));

/** Runs the replay, and compares the claimed digests. */
function runReplay(replay: Replay, claims: ReplayClaims): ReplayResult {
  const replayDigest = claims.replayDigest ?? claims.session?.replay?.digest;
  const gameSessionHash = claims.gameSessionHash ?? claims.session?.snapshot.gameSessionHash ?? undefined;
  return verifyRun(replay, claims.getRules ?? getRules, {
    ...(replayDigest === undefined ? {} : { replayDigest }),
    ...(gameSessionHash === undefined ? {} : { gameSessionHash }),
  });
}

/**
 * Runs a replay under its own rules version and compares score, digests, `gameSessionHash` and, if given, the chain's
 * event and the session's record. A wrong replay is a verdict, never an exception.
 */
export async function verifyReplay(replay: Replay, claims: ReplayClaims = {}): Promise<ReplayVerdict> {
  const problems = listShapeProblems(replay);
  if (isUnreadable(replay, problems)) return createUnreadVerdict(problems);
  const { event } = claims;
  const result = runReplay(replay, claims);
  const isAttested = await checkSignature(replay);
  const otherRules = claims.getRules === undefined ? checkRulesHash(replay) : [];
  const named = new Set(result.differences.map(({ field }) => field));
  const differences = [
    ...problems.filter(({ field }) => !named.has(field)),
    ...result.differences,
    ...toDifferences([...compareSeed(replay, claims), ...compareEvent(replay, result, event)]),
    ...(isAttested === false
      ? [{ field: "transcriptSignature", expected: `a signature by ${replay.wallet}`, received: "another one" }]
      : []),
    ...compareTranscript(replay, claims.transcript),
    ...otherRules,
  ];
  const hasRules = otherRules.length === 0 && Boolean((claims.getRules ?? getRules)(replay.slug, replay.rulesVersion));
  const isOfEvent = event === undefined || event.gameSessionHash.toLowerCase() === result.gameSessionHash;
  const isOk = differences.length === 0;
  const points = describePoints(replay, result.finalScore);
  return {
    ok: isOk,
    ...toVerdict(differences, points, { hasRules, isOfEvent, isAttested: isAttested === true }),
    finalScore: isOk ? result.finalScore : null,
    ticks: isOk ? result.ticks : null,
    replayDigest: result.replayDigest,
    gameSessionHash: result.gameSessionHash,
    differences,
  };
}
