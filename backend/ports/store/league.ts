/** Store of the league: seasons of a game, the policies of the current one, and the rounds that were played. */
import type { Address, Hex } from "viem";

export interface SeasonRow {
  readonly slug: string;
  /** 1, 2, 3, ... of the game. */
  readonly season: number;
  readonly opensAtMs: number;
  /** No policy is taken at this time or later. */
  readonly closesAtMs: number;
  /** Secret until the round is played; its sha256 is public. */
  readonly serverSeed: Hex;
  /** Set when the list of policies is fixed, at the deadline. */
  readonly policiesDigest: Hex | null;
  /** The final block that the courses depend on; null before it is known. */
  readonly blockNumber: number | null;
  readonly blockHash: Hex | null;
  /** The result; null before the round was played, and if the season had no policies. */
  readonly policies: number | null;
  readonly courses: number | null;
  readonly winner: string | null;
  /** Null for the current season, of which a game has one at most. */
  readonly finishedAtMs: number | null;
}

export interface PolicyRow {
  readonly slug: string;
  readonly season: number;
  readonly wallet: Address;
  readonly agentId: string;
  readonly text: string;
  readonly digest: Hex;
  /** Of the text in UTF-8. */
  readonly bytes: number;
  readonly submittedAtMs: number;
}

/** A course of a thinker. */
export interface ThinkingRow {
  readonly slug: string;
  readonly season: number;
  readonly wallet: Address;
  readonly agentId: string;
  /** 1 to 5. */
  readonly course: number;
  /** As in the file of a round. */
  readonly decisions: string;
  readonly decisionCount: number;
  readonly score: number;
}

/** A thinker on the board: sums over its courses. */
export interface ThinkerRow {
  readonly wallet: Address;
  readonly agentId: string;
  readonly points: number;
  readonly courses: number;
  readonly decisions: number;
}

export type SeasonId = Pick<SeasonRow, "slug" | "season">;
export type NewSeason = Pick<SeasonRow, "slug" | "opensAtMs" | "closesAtMs" | "serverSeed">;

export interface PlayedRound {
  /** gzip of the JSON of the round. */
  readonly file: Uint8Array;
  readonly policies: number;
  readonly courses: number;
  /** Null if there were thinkers only. */
  readonly winner: string | null;
}

export interface LeagueStore {
  findCurrent(slug: string): Promise<SeasonRow | null>;
  /** Opens the first season of a game that has none. */
  openFirst(season: NewSeason): Promise<void>;
  countPolicies(season: SeasonId): Promise<number>;
  /** Stores a policy in place of the wallet's former one, while its season is open at `submittedAtMs`. */
  submit(policy: PolicyRow, policiesMax: number): Promise<"stored" | "closed" | "full">;
  findPolicy(season: SeasonId, wallet: Address): Promise<PolicyRow | null>;
  /** By wallet, without the texts. */
  listPolicies(season: SeasonId): Promise<readonly Omit<PolicyRow, "text">[]>;
  /**
   * Stores a course after a further decision, while its season is open at `nowMs`. "late": another request has decided.
   */
  decide(
    row: ThinkingRow,
    options: { readonly nowMs: number; readonly thinkersMax: number },
  ): Promise<"stored" | "closed" | "full" | "late">;
  findThinking(season: SeasonId, wallet: Address, course: number): Promise<ThinkingRow | null>;
  /** By wallet and course. */
  listThinking(season: SeasonId): Promise<readonly ThinkingRow[]>;
  /** The best first: points, then fewer decisions. */
  listThinkers(season: SeasonId, limit: number): Promise<readonly ThinkerRow[]>;
  /** Fixes the list of policies once the season is closed at `nowMs`; later calls change nothing. */
  fixPolicies(season: SeasonId, nowMs: number): Promise<void>;
  /** Sets the block if none is set. */
  setBlock(season: SeasonId, block: { readonly number: number; readonly hash: Hex }): Promise<void>;
  /**
   * Ends the current season with its round, null if nothing took part, and opens the next one. False, and nothing has
   * changed, if another backend has ended it.
   */
  finish(season: SeasonId, round: PlayedRound | null, next: NewSeason): Promise<boolean>;
  /** The last seasons with a round, the newest first. */
  listPlayed(slug: string, limit: number): Promise<readonly SeasonRow[]>;
  /** gzip of the JSON of a round; null if it was not played. */
  findRound(season: SeasonId): Promise<Uint8Array | null>;
}
