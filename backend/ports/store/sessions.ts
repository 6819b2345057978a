/** Store of the game sessions: rows, recordings and lists. */

import type { Address, Hex } from "viem";
import type { Period, RunSort } from "../../../domain/leaderboard.ts";
import type { Recording } from "../../../domain/replay/build-replay.ts";
import type { ReplayInput, ReplayPause } from "../../../domain/replay/replay.ts";
import type { EndReason, Phase, SessionSource, VerificationState } from "../../../domain/session.ts";
import type { Page, PageQuery } from "../types.ts";

export interface SessionRow {
  readonly sessionId: string;
  readonly slug: string;
  readonly source: SessionSource;
  readonly wallet: Address | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly practiceTokenHash: string | null;
  readonly phase: Phase;
  /** The service's part. */
  readonly seed: Hex;
  readonly seedCommitment: Hex;
  /** The player's part of the seed, `0x` if it gave none; null before the first join. */
  readonly entropy: Hex | null;
  /** The wallet's signature of its transcript; null if it did not sign. */
  readonly transcriptSignature: Hex | null;
  readonly rulesVersion: number;
  readonly tickHz: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly endReason: EndReason | null;
  readonly score: number;
  /** The last recorded tick; every tick up to it can be replayed. */
  readonly tick: number;
  readonly replayDigest: Hex | null;
  readonly gameSessionHash: Hex | null;
  readonly sequence: bigint | null;
  readonly verification: VerificationState;
  /** When the score was signed for; null before. */
  readonly preparedAtMs: number | null;
  /** Until when the last signature of the score is valid on chain; null before the first. Unix seconds. */
  readonly signedUntilSeconds: number | null;
  readonly forfeitedAtMs: number | null;
  readonly forfeitedTier: number | null;
  /** The process run that hosts the session, or hosted it last; null if no lease was held. */
  readonly owner: string | null;
  /** From the chain: the transaction of the session's ScoreSnapshot; null while there is none. */
  readonly snapshotTxHash: Hex | null;
  readonly snapshotBlock: number | null;
}

export type NewSession = Pick<
  SessionRow,
  | "sessionId"
  | "slug"
  | "source"
  | "wallet"
  | "agentId"
  | "agentName"
  | "practiceTokenHash"
  | "seed"
  | "seedCommitment"
  | "rulesVersion"
  | "tickHz"
  | "startedAtMs"
>;

/** One flush of the recorder for one session: everything recorded since the last flush. */
export interface RecordedChunk {
  readonly sessionId: string;
  /** The last tick this chunk covers. */
  readonly tick: number;
  readonly score: number;
  readonly phase: Phase;
  readonly inputs: readonly ReplayInput[];
  /** Known from the first join on, and never replaced. */
  readonly entropy: Hex | null;
  readonly pauses: readonly ReplayPause[];
}

export interface EndedSession {
  readonly sessionId: string;
  readonly endedAtMs: number;
  readonly endReason: EndReason;
  readonly score: number;
  readonly tick: number;
  readonly inputs: readonly ReplayInput[];
  readonly entropy: Hex | null;
  readonly pauses: readonly ReplayPause[];
  /** The digest of the rules that the session was played under. */
  readonly rulesHash: Hex;
  readonly replayDigest: Hex;
  /** The score is forfeited in the transaction that ends the session. */
  readonly isForfeited?: boolean;
}

export interface RunQuery extends PageQuery {
  readonly slug: string;
  readonly sort: RunSort;
  readonly period: Period;
  readonly nowMs: number;
  readonly agentId: string | null;
}

export interface SessionStore {
  /**
   * Adds a session and returns its row. If the wallet has an open agent session of this game, adds nothing and returns
   * that session's id.
   */
  add(
    session: NewSession,
  ): Promise<
    { readonly added: true; readonly row: SessionRow } | { readonly added: false; readonly activeSessionId: string }
  >;
  find(sessionId: string): Promise<SessionRow | null>;
  findByHash(gameSessionHash: Hex): Promise<SessionRow | null>;
  /** Makes the holder of the lease the owner of every open session: later writes of an earlier owner are rejected. */
  claimOpen(): Promise<void>;
  /**
   * Makes this node the owner of at most `limit` open sessions that no node runs: they were released, or the lease of
   * their node has expired. Nodes that call this at the same time get different sessions.
   */
  claimAbandoned(limit: number): Promise<readonly SessionRow[]>;
  /** Releases the open sessions of this node, so that others claim them at once. */
  releaseOpen(): Promise<void>;
  /** Sessions that were open when the last process ended. */
  listOpen(): Promise<readonly SessionRow[]>;
  /**
   * All chunks in one transaction; at most once a second for all sessions. Returns the ids of sessions that this
   * process no longer owns; nothing was stored for them.
   */
  record(chunks: readonly RecordedChunk[]): Promise<readonly string[]>;
  getRecording(sessionId: string): Promise<Recording>;
  /**
   * The same, after any write of it has finished: an earlier `record` without a response is included, or will never
   * happen. Throws if such a write takes longer than the store waits.
   */
  getSettledRecording(sessionId: string): Promise<Recording>;
  /** Stores the signature of an ended session's transcript once; false if there is one already. */
  addTranscriptSignature(sessionId: string, signature: Hex): Promise<boolean>;
  /**
   * Ends the session once: stores score, replay and, for an agent session, the next sequence of its wallet (above every
   * number in the store and on chain) with `toSessionHash(sequence)`, all in one transaction. Returns the stored row,
   * also if the session had ended before. Throws `SHUTTING_DOWN` and stores nothing if this process no longer owns the
   * session.
   */
  end(ended: EndedSession, toSessionHash: (sequence: bigint) => Hex): Promise<SessionRow>;
  /** Ended agent sessions whose score is not verified yet; oldest first. */
  listUnverified(limit: number): Promise<readonly SessionRow[]>;
  setVerification(sessionId: string, state: "verified" | "withheld"): Promise<boolean>;
  /** Records that the score will be signed, before it is; false if it was forfeited or withheld. */
  markPrepared(
    sessionId: string,
    signing: { readonly atMs: number; readonly signedUntilSeconds: number },
  ): Promise<boolean>;
  /** The latest deadline of the signed scores that are not on chain, in unix seconds; null: there are none. */
  getLastDeadline(): Promise<number | null>;
  /**
   * Forfeits the pending score; false if it is on chain, forfeited, or signed with a deadline at or after
   * `signedBeforeSeconds`.
   */
  forfeit(sessionId: string, terms: { readonly atMs: number; readonly signedBeforeSeconds: number }): Promise<boolean>;
  forfeitTier(sessionId: string, tier: number): Promise<boolean>;
  /** The highest tier of a game that the wallet has forfeited under this identity, 0 when there is none. */
  getForfeitedTier(wallet: Address, slug: string, agentId: string): Promise<number>;
  /**
   * Ended agent sessions with score > 0 that are neither on chain, nor forfeited, nor withheld; oldest first, above the
   * sequence `after`.
   */
  listPending(wallet: Address, slug: string | null, limit: number, after?: bigint): Promise<readonly SessionRow[]>;
  /** The best snapshotted session of a game that the wallet has played under this identity and has not forfeited. */
  findBestOnChain(wallet: Address, slug: string, agentId: string): Promise<SessionRow | null>;
  /** Best ended, not withheld agent session. */
  findBest(wallet: Address, slug: string): Promise<SessionRow | null>;
  listMine(
    query: PageQuery & {
      readonly wallet: Address;
      readonly slug: string;
      readonly status: "active" | "ended" | null;
      readonly source: SessionSource | null;
    },
  ): Promise<Page<SessionRow>>;
  listLive(query: PageQuery & { readonly slug: string }): Promise<Page<SessionRow>>;
  /**
   * Verified agent sessions of a game that ended in the calendar period of `nowMs`. The cost does not depend on how
   * many sessions were played. `agentId` null: of all agents.
   */
  listRuns(query: RunQuery): Promise<Page<SessionRow>>;
}
