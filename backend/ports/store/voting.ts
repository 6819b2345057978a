/** Store of community voting: candidates, cycles and ballots. */

import type { Address, Hex } from "viem";
import type { CandidateState, VoteSource } from "../../../domain/voting.ts";
import type { Page, PageQuery } from "../types.ts";
import type { AuditStamp } from "./admin.ts";
import type { SessionRow } from "./sessions.ts";

/** A third-party game proposed for the arcade. */
export interface CandidateRow {
  readonly slug: string;
  readonly title: string;
  readonly developer: string;
  readonly url: string;
  readonly state: CandidateState;
  /** The operator's last note on it. */
  readonly note: string | null;
  /** The only cycle it is or was a candidate of. */
  readonly cycleId: number | null;
  readonly appliedAtMs: number;
  readonly changedAtMs: number;
}

export interface CycleRow {
  /** 1, 2, 3, ... */
  readonly id: number;
  /** The block at which agents must hold their identity. */
  readonly openingBlock: number;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** When it was closed and counted; null before. Votes after `closesAtMs` are rejected in any case. */
  readonly closedAtMs: number | null;
}

/** One cast vote with what proves it. Rows never change and are never deleted. */
export interface VoteRow {
  readonly gameSlug: string;
  readonly wallet: Address;
  readonly cycleId: number;
  readonly voteSource: VoteSource;
  /** The identity an `ai_agent` voted with. */
  readonly agentId: string | null;
  readonly nonce: string;
  /** `key`: recovered from the signature; `contract`: the wallet's code accepted it (ERC-1271). */
  readonly proof: "key" | "contract";
  readonly signature: Hex;
  readonly castAtMs: number;
}

export interface Tally {
  readonly gameSlug: string;
  readonly human: number;
  readonly aiAgent: number;
}

export interface VotingStore {
  findCandidate(slug: string): Promise<CandidateRow | null>;
  /** By application, oldest first; `state` null: all of them. */
  listCandidates(state: CandidateState | null): Promise<readonly CandidateRow[]>;
  listCycleCandidates(cycleId: number): Promise<readonly CandidateRow[]>;
  /** The cycle that was not closed and counted yet; there is at most one. */
  findUnsettledCycle(): Promise<CycleRow | null>;
  findCycle(id: number): Promise<CycleRow | null>;
  findLastCycle(): Promise<CycleRow | null>;
  /** In the order of `slugs`. */
  countVotes(slugs: readonly string[]): Promise<readonly Tally[]>;
  /**
   * Uses up the nonce and stores the vote in one transaction, if its cycle is open at `castAtMs`. Every result uses up
   * the nonce.
   */
  castVote(vote: VoteRow): Promise<"recorded" | "nonce_used" | "closed" | "already_voted">;
  /** In the order in which they were cast. */
  listBallots(gameSlug: string, page: PageQuery): Promise<Page<VoteRow>>;
  /**
   * An ended agent session of the wallet that lasted `seconds`, by the clock or by its ticks; null when there is none.
   */
  findQualifyingSession(
    wallet: Address,
    seconds: number,
    verification: "verified" | "pending",
  ): Promise<SessionRow | null>;

  /** Takes an application; false if the slug is taken. */
  addCandidate(
    candidate: Pick<CandidateRow, "slug" | "title" | "developer" | "url">,
    stamp: AuditStamp,
  ): Promise<boolean>;
  /** Moves a candidate from one of the states `from`; null when it is in none of them. */
  moveCandidate(
    slug: string,
    change: { readonly from: readonly CandidateState[]; readonly to: CandidateState; readonly note: string | null },
    stamp: AuditStamp,
  ): Promise<CandidateRow | null>;
  /**
   * Opens the next cycle with approved candidates: all of them or none. `unsettled`: another cycle is not closed yet;
   * `not_approved`: these slugs are not approved.
   */
  openCycle(
    cycle: Pick<CycleRow, "openingBlock" | "opensAtMs" | "closesAtMs">,
    slugs: readonly string[],
    stamp: AuditStamp,
  ): Promise<
    | { readonly outcome: "opened"; readonly cycle: CycleRow }
    | { readonly outcome: "unsettled"; readonly cycle: CycleRow }
    | { readonly outcome: "not_approved"; readonly slugs: readonly string[] }
  >;
  /** Closes the unsettled cycle and sets its candidates by `pickWinners`; null when there is no such cycle. */
  closeCycle(
    pickWinners: (tallies: readonly Tally[]) => readonly string[],
    stamp: AuditStamp,
  ): Promise<{ readonly cycle: CycleRow; readonly winners: readonly string[] } | null>;
}
