/** The store's side of community voting: candidates, cycles and ballots. */
import type { CandidateState, VoteSource } from "../domain/voting.ts";
import type { Address, Hex, Page, PageQuery } from "./store.ts";
import type { AuditStamp } from "./store-operator.ts";
import type { SessionRow } from "./store-sessions.ts";

/** A third-party game on its way to the arcade. */
export interface CandidateRow {
  readonly slug: string;
  readonly title: string;
  readonly developer: string;
  readonly url: string;
  readonly state: CandidateState;
  /** The operator's last note on it. */
  readonly note: string | null;
  /** The one cycle it stands (or stood) in. */
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
  /** When it was closed and counted; null before. Nobody votes after `closesAtMs` either. */
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
  /** `key`: recovered from the signature; `contract`: the wallet's code said yes (ERC-1271). */
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
  candidatesOf(cycleId: number): Promise<readonly CandidateRow[]>;
  /** The cycle that was not closed and counted yet; there is one at the most. */
  unsettledCycle(): Promise<CycleRow | null>;
  findCycle(id: number): Promise<CycleRow | null>;
  lastCycle(): Promise<CycleRow | null>;
  /** In the order of `slugs`. */
  tally(slugs: readonly string[]): Promise<readonly Tally[]>;
  /**
   * Uses the nonce up and stores the vote, in one transaction, while its cycle is open at `castAtMs`. The nonce stays
   * used whatever the answer is.
   */
  cast(vote: VoteRow): Promise<"recorded" | "nonce_used" | "closed" | "already_voted">;
  /** In the order in which they were cast. */
  ballots(gameSlug: string, page: PageQuery): Promise<Page<VoteRow>>;
  /** An ended agent session of the wallet that lasted so long, by the clock or by its ticks; null where there is none. */
  findPlayed(wallet: Address, seconds: number, verification: "verified" | "pending"): Promise<SessionRow | null>;

  /** Takes an application; false where the slug is taken. */
  apply(candidate: Pick<CandidateRow, "slug" | "title" | "developer" | "url">, stamp: AuditStamp): Promise<boolean>;
  /** Moves a candidate from one of the states `from`; null where it is in none of them. */
  move(
    slug: string,
    change: { readonly from: readonly CandidateState[]; readonly to: CandidateState; readonly note: string | null },
    stamp: AuditStamp,
  ): Promise<CandidateRow | null>;
  /**
   * Opens the next cycle with approved candidates: all of them or none. `unsettled`: another cycle waits to be closed;
   * `not_approved`: these slugs are not.
   */
  open(
    cycle: Pick<CycleRow, "openingBlock" | "opensAtMs" | "closesAtMs">,
    slugs: readonly string[],
    stamp: AuditStamp,
  ): Promise<
    | { readonly outcome: "opened"; readonly cycle: CycleRow }
    | { readonly outcome: "unsettled"; readonly cycle: CycleRow }
    | { readonly outcome: "not_approved"; readonly slugs: readonly string[] }
  >;
  /** Closes the unsettled cycle and decides its candidates by `winnersOf`; null where there is none. */
  close(
    winnersOf: (tallies: readonly Tally[]) => readonly string[],
    stamp: AuditStamp,
  ): Promise<{ readonly cycle: CycleRow; readonly winners: readonly string[] } | null>;
}
