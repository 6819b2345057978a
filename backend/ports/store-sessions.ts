/** The store's side of game sessions: rows, what the recorder writes, and the lists services read. */
import type { EndReason, Phase, SessionSource, VerificationState } from "../domain/session.ts";
import type { Address, Hex, Page, PageQuery } from "./store.ts";

export interface SessionRow {
  readonly sessionId: string;
  readonly slug: string;
  readonly source: SessionSource;
  readonly wallet: Address | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly practiceTokenHash: string | null;
  readonly phase: Phase;
  readonly seed: Hex;
  readonly seedCommitment: Hex;
  readonly rulesVersion: number;
  readonly tickHz: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly endReason: EndReason | null;
  readonly score: number;
  /** Last tick that is recorded; all ticks up to it can be derived again. */
  readonly tick: number;
  readonly replayDigest: Hex | null;
  readonly gameSessionHash: Hex | null;
  readonly sequence: bigint | null;
  readonly verification: VerificationState;
  /** What the backend itself knows; the chain's part is read from the events. */
  readonly preparedAtMs: number | null;
  readonly forfeitedAtMs: number | null;
  readonly forfeitedTier: number | null;
  /** From the chain: the block of the session's ScoreSnapshot, null while there is none. */
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

/** One flush of the recorder: everything recorded since the last one, for one session. */
export interface RecordedChunk {
  readonly sessionId: string;
  /** The last tick this chunk covers. */
  readonly tick: number;
  readonly score: number;
  readonly phase: Phase;
  readonly inputs: readonly (readonly [number, number])[];
  readonly stateDigests: readonly Hex[];
}

export interface EndedSession {
  readonly sessionId: string;
  readonly endedAtMs: number;
  readonly endReason: EndReason;
  readonly score: number;
  readonly tick: number;
  readonly inputs: readonly (readonly [number, number])[];
  readonly stateDigests: readonly Hex[];
  readonly replayDigest: Hex;
}

export interface SessionStore {
  /** Null when the wallet has an open agent session of this game already (then `active` tells which). */
  add(
    session: NewSession,
  ): Promise<{ readonly added: true } | { readonly added: false; readonly activeSessionId: string }>;
  find(sessionId: string): Promise<SessionRow | null>;
  findByHash(gameSessionHash: Hex): Promise<SessionRow | null>;
  /** Sessions that were open when the last process ended. */
  listOpen(): Promise<readonly SessionRow[]>;
  /** All chunks in one transaction; at most once a second for all sessions. */
  record(chunks: readonly RecordedChunk[]): Promise<void>;
  recording(
    sessionId: string,
  ): Promise<{ readonly inputs: readonly (readonly [number, number])[]; readonly stateDigests: readonly Hex[] }>;
  /**
   * Ends the session once: stores score, replay and, for an agent session, the next sequence of its wallet (above
   * every number in the store and on chain) with `hashOf(sequence)`, all in one transaction. Answers the stored row,
   * which is the earlier one where the session had ended before.
   */
  end(ended: EndedSession, hashOf: (sequence: bigint) => Hex): Promise<SessionRow>;
  /** Ended agent sessions whose score nobody derived again yet; oldest first. */
  listUnverified(limit: number): Promise<readonly SessionRow[]>;
  setVerification(sessionId: string, state: "verified" | "withheld"): Promise<boolean>;
  /** Marks the score as signed for; false when it was given up meanwhile. */
  markPrepared(sessionId: string, atMs: number): Promise<boolean>;
  /** Gives the pending score up; false when it is on chain or was given up. */
  forfeit(sessionId: string, atMs: number): Promise<boolean>;
  forfeitTier(sessionId: string, tier: number): Promise<boolean>;
  /** The highest tier step the wallet gave up in a game, 0 where it gave up none. */
  forfeitedTierOf(wallet: Address, slug: string): Promise<number>;
  /** Ended agent sessions with score > 0 that are neither on chain, nor given up, nor withheld; oldest first. */
  listPending(wallet: Address, slug: string | null, limit: number): Promise<readonly SessionRow[]>;
  /** The wallet's best snapshotted session of a game. */
  bestOnChain(wallet: Address, slug: string): Promise<SessionRow | null>;
  /** Best ended, not withheld agent session. */
  best(wallet: Address, slug: string): Promise<SessionRow | null>;
  listMine(
    query: PageQuery & {
      readonly wallet: Address;
      readonly slug: string;
      readonly status: "active" | "ended" | null;
      readonly source: SessionSource | null;
    },
  ): Promise<Page<SessionRow>>;
  listLive(query: PageQuery & { readonly slug: string }): Promise<Page<SessionRow>>;
}
