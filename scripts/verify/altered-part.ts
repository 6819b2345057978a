/** Finds the part in which a replay differs from the session whose hash is on chain. */
import { type Hex, hexToString } from "viem";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import {
  computeGameSessionHash,
  computeReplayDigest,
  type GameSessionFacts,
  type Replay,
} from "../../domain/replay/replay.ts";
import { computeGameSeed, computeSeedCommitment } from "../../domain/replay/seed.ts";
import type { ReplayDifference } from "../../domain/replay/verify.ts";
import { END_REASONS } from "../../domain/session.ts";
import { getRulesHash, UNPUBLISHED_RULES } from "../../games/rules-hash.ts";

const DIGITS = [..."0123456789"];
const HEX_DIGITS = [..."0123456789abcdef"];

/** Texts that differ from `text` in one character of `alphabet`, from `start` on. */
const substitute = (text: string, alphabet: readonly string[], start = 0): string[] =>
  [...text].flatMap((current, at) =>
    at < start || !alphabet.includes(current)
      ? []
      : alphabet.filter((other) => other !== current).map((other) => text.slice(0, at) + other + text.slice(at + 1)),
  );

const substituteHex = (hex: Hex): Hex[] => substitute(hex, HEX_DIGITS, 2) as Hex[];

/** Numbers that differ in one digit, or lack a trailing zero. */
const substituteNumber = (value: number): number[] =>
  [...substitute(String(value), DIGITS), `${value}0`].map(Number).filter(Number.isSafeInteger);

/** The hash of a replay with some facts replaced; null if a session cannot have them. */
function computeHash(replay: Replay, facts: Partial<GameSessionFacts> = {}): Hex | null {
  try {
    const replayDigest = facts.replayDigest ?? computeReplayDigest(replay);
    return computeGameSessionHash({ ...replay, sequence: BigInt(replay.sequence), replayDigest, ...facts });
  } catch {
    return null;
  }
}

function findAlteredFact(replay: Replay, event: SnapshotEvent): ReplayDifference | null {
  const replayDigest = computeReplayDigest(replay);
  const facts = {
    wallet: event.wallet,
    sequence: BigInt(`0x${event.gameSessionHash.slice(-16)}`),
    chainId: event.chainId,
    rewards: event.rewards,
  };
  for (const [field, value] of Object.entries(facts)) {
    if (computeHash(replay, { replayDigest, [field]: value }) !== event.gameSessionHash) continue;
    return { field, expected: String(value), received: String(replay[field as keyof typeof facts]) };
  }
  return null;
}

/** Each part of the seed follows from the others, so few candidates need a hash. */
function listFormerSeeds(replay: Replay): readonly (readonly [keyof Replay, readonly unknown[]])[] {
  const { slug, rulesVersion, seed, serverSeed, seedCommitment, entropy } = replay;
  return [
    ["seed", [computeGameSeed(serverSeed, entropy)]],
    ["seedCommitment", [computeSeedCommitment(serverSeed)]],
    ["serverSeed", substituteHex(serverSeed).filter((former) => computeSeedCommitment(former) === seedCommitment)],
    ["entropy", substituteHex(entropy).filter((former) => computeGameSeed(serverSeed, former) === seed)],
    ["rulesHash", [getRulesHash(slug, rulesVersion), UNPUBLISHED_RULES]],
  ];
}

/** The values that a core field may have had before one character of it changed. */
function listFormerValues(
  replay: Replay,
  event: SnapshotEvent,
): readonly (readonly [keyof Replay, readonly unknown[]])[] {
  return [
    ["slug", [hexToString(event.gameId, { size: 32 })]],
    ["finalScore", [Number(event.score)]],
    ["v", [2]],
    ["rulesVersion", substituteNumber(replay.rulesVersion)],
    ["tickHz", substituteNumber(replay.tickHz)],
    ["ticks", substituteNumber(replay.ticks)],
    ["endReason", END_REASONS],
    ["sessionId", substitute(replay.sessionId, HEX_DIGITS)],
    ...listFormerSeeds(replay),
  ];
}

const isOfSameSession = (replay: Replay, event: SnapshotEvent): boolean =>
  isSameAddress(replay.wallet, event.wallet) &&
  BigInt(replay.sequence) === BigInt(`0x${event.gameSessionHash.slice(-16)}`);

/**
 * The part of the replay that changed since its hash got on chain; null if the replay does not belong to the event at
 * all. If no other part explains the hash, it is the inputs, or several parts at once.
 */
export function findAlteredPart(replay: Replay, event: SnapshotEvent): ReplayDifference | null {
  const fact = findAlteredFact(replay, event);
  if (fact !== null || !isOfSameSession(replay, event)) return fact;
  // Most candidates leave the core unchanged, whose digest is slow to compute.
  const replayDigest = computeReplayDigest(replay);
  for (const [field, values] of listFormerValues(replay, event)) {
    for (const value of values) {
      const former = { ...replay, [field]: value } as Replay;
      const isInCore = field !== "sessionId";
      if (computeHash(former, isInCore ? {} : { replayDigest }) !== event.gameSessionHash) continue;
      return { field, expected: String(value), received: String(replay[field]) };
    }
  }
  return {
    field: "inputs, pauses, or several parts",
    expected: `what gives ${event.gameSessionHash}`,
    received: computeHash(replay) ?? "no hash",
  };
}
