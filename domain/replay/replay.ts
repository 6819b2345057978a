/**
 * Replays: what is recorded, its digest, and the hash a score carries on chain. Anyone can run this file.
 * Canonical form: RFC 8785 (JCS). Hash: keccak256 as in Ethereum.
 */

import type { Hex } from "viem";
import { encodeAbiParameters, keccak256, stringToHex, toHex } from "viem";
import { digestJson } from "../canonical-json.ts";
import type { EndReason } from "../session.ts";

/** `[tick, code]`: the code takes effect in the step that produces `tick`. Ascending by tick. */
export type ReplayInput = readonly [tick: number, code: number];

/** What stopped the game, as it is written in a replay. */
export const PAUSE_CODES = { player: 0, disconnect: 1, restart: 2 } as const;
export type PauseReason = keyof typeof PAUSE_CODES;

/** `[tick, reason, ms]`: after `tick` the game stood still for `ms` milliseconds. Ascending by tick. */
export type ReplayPause = readonly [tick: number, reason: number, ms: number];

export interface ReplayCore {
  /** The version of this form. The digest covers it. */
  readonly v: 2;
  readonly slug: string;
  readonly rulesVersion: number;
  readonly tickHz: number;
  /** What the game started from: 32 bytes, 0x hex. `serverSeed` and `entropy` give it (`seed.ts`). */
  readonly seed: Hex;
  /** 32 bytes of the service. */
  readonly serverSeed: Hex;
  /** sha256 of `serverSeed`, published before the first tick. */
  readonly seedCommitment: Hex;
  /** Up to 32 bytes of the player, `0x` if it gave none. */
  readonly entropy: Hex;
  /** The digest of the rules' files (`games/rules-hash.ts`), zero for unpublished rules. */
  readonly rulesHash: Hex;
  readonly pauses: readonly ReplayPause[];
  readonly inputs: readonly ReplayInput[];
  readonly ticks: number;
  readonly finalScore: number;
  readonly endReason: EndReason;
}

export interface Replay extends ReplayCore {
  /** UUIDv7. */
  readonly sessionId: string;
  readonly wallet: `0x${string}`;
  readonly chainId: number;
  /** Address of the rewards contract. */
  readonly rewards: `0x${string}`;
  /** The wallet's eligible-session number, decimal. */
  readonly sequence: string;
  /** The wallet's signature of `Transcript` (EIP-712): it vouches for this run. Absent if it did not sign. */
  readonly transcriptSignature?: Hex;
}

export function computeReplayDigest(replay: ReplayCore): Hex {
  const { v, slug, rulesVersion, tickHz, seed, ticks, inputs, finalScore, endReason } = replay;
  const { serverSeed, seedCommitment, entropy, rulesHash, pauses } = replay;
  const run = { v, slug, rulesVersion, tickHz, seed, ticks, inputs, finalScore, endReason };
  return digestJson({ ...run, serverSeed, seedCommitment, entropy, rulesHash, pauses });
}

/** A game's id on chain: its slug in ASCII, right-padded to 32 bytes. */
export const toGameId = (slug: string): Hex => stringToHex(slug, { size: 32 });

/** A UUID's 16 bytes, left-aligned in 32. */
const toSessionIdBytes32 = (sessionId: string): Hex =>
  `0x${sessionId.replaceAll("-", "").toLowerCase().padEnd(64, "0")}`;

export interface GameSessionFacts {
  readonly chainId: number;
  readonly rewards: `0x${string}`;
  readonly slug: string;
  readonly wallet: `0x${string}`;
  readonly sessionId: string;
  readonly replayDigest: Hex;
  readonly finalScore: number;
  readonly sequence: bigint;
}

/**
 * 32 bytes: the first 24 of the facts' hash, then the wallet's sequence as 8 big-endian bytes, which the rewards
 * contract consumes. A pure function of the ended session.
 */
export function computeGameSessionHash(facts: GameSessionFacts): Hex {
  const hash = keccak256(
    encodeAbiParameters(
      [
        { type: "uint256" },
        { type: "address" },
        { type: "bytes32" },
        { type: "address" },
        { type: "bytes32" },
        { type: "bytes32" },
        { type: "uint256" },
      ],
      [
        BigInt(facts.chainId),
        facts.rewards,
        toGameId(facts.slug),
        facts.wallet,
        toSessionIdBytes32(facts.sessionId),
        facts.replayDigest,
        BigInt(facts.finalScore),
      ],
    ),
  );
  return `${hash.slice(0, 2 + 48)}${toHex(facts.sequence, { size: 8 }).slice(2)}` as Hex;
}

/** The sequence inside a `gameSessionHash`: its low 64 bits. */
export const parseSequence = (gameSessionHash: Hex): bigint => BigInt(`0x${gameSessionHash.slice(-16)}`);
