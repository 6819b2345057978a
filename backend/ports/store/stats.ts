/** Stores of the leaderboard, of telemetry and of the newsletter. */
import type { Address, Hex } from "viem";
import type { Sort, Standing } from "../../../domain/leaderboard.ts";

export interface StandingRow extends Standing {
  readonly wallet: Address;
  /** The name in the wallet's profile, null when it has none. */
  readonly profileName: string | null;
  readonly bestGameSessionHash: Hex | null;
}

/** Sums over all wallets of a board. */
export interface BoardTotals {
  readonly players: number;
  /** Players whose best score is above 0. */
  readonly scorers: number;
  readonly sessions: number;
  readonly highScore: number;
  readonly totalScore: number;
  readonly playMs: number;
}

/** Grows in the same transaction that marks a session as verified (`SessionStore.setVerification`). */
export interface StandingStore {
  /** One page of a board; the cost does not depend on how many sessions were played. */
  getPage(query: {
    readonly board: string;
    readonly sort: Sort;
    /** Leaves out wallets whose best score is 0. */
    readonly hideZero: boolean;
    readonly page: number;
    readonly limit: number;
  }): Promise<{ readonly items: readonly StandingRow[]; readonly total: number }>;
  getTotals(board: string): Promise<BoardTotals>;
  /**
   * The wallets of a board whose name contains the text, or whose agent or wallet it is; the best first. Searches only
   * the best `SEARCHED_STANDINGS`, so that the cost is bounded.
   */
  search(query: {
    readonly board: string;
    readonly text: string;
    readonly limit: number;
  }): Promise<readonly StandingRow[]>;
}

/** About 1.5 ms of the thread that also runs the ticks. */
export const SEARCHED_STANDINGS = 1000;

export interface TelemetryRow {
  readonly eventId: string;
  readonly event: string;
  readonly wallet: Address | null;
  readonly slug: string | null;
  readonly sessionId: string | null;
  /** JSON object. */
  readonly metadata: string;
  readonly occurredAtMs: number;
  readonly receivedAtMs: number;
}

export interface TelemetryStore {
  /** Adds rows in one transaction; a row whose id is stored already is skipped. */
  add(rows: readonly TelemetryRow[]): Promise<void>;
  /** Oldest first, after the given id (in the order of arrival); for exports and dashboards. */
  list(query: { readonly afterEventId: string | null; readonly limit: number }): Promise<readonly TelemetryRow[]>;
}

export interface SubscriberRow {
  readonly email: string;
  readonly createdAtMs: number;
}

export interface NewsletterStore {
  /** Keeps the first time of an address that subscribes again. */
  add(row: SubscriberRow): Promise<void>;
  /** In the order of addresses, after the given one. */
  list(query: { readonly afterEmail: string | null; readonly limit: number }): Promise<readonly SubscriberRow[]>;
}
