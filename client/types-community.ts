/** Shapes of market, voting and statistics. */
import type { Hex } from "../backend/domain/replay.ts";
import type { Address, AsOf, TokenFacts } from "./types.ts";

export interface VoteCounts {
  readonly totalVotes: number;
  readonly humanVotes: number;
  readonly aiAgentVotes: number;
}

export interface VotingCycle {
  readonly id: number | string;
  readonly state: string;
  readonly opensAt: string;
  readonly closesAt: string;
}

/** A Seaport order's components (decimal strings) with what the service knows of it. */
export interface Listing {
  readonly listingId: Hex;
  readonly collection: string;
  readonly tokenId: string;
  readonly seller: Address;
  readonly price: string;
  readonly currency: Address;
  readonly visible: boolean;
  readonly order: { readonly [field: string]: unknown };
  readonly signature: Hex | null;
  /** Why a listing is not shown to others. */
  readonly reasons?: readonly string[];
}

export interface LeaderboardEntry {
  readonly rank: number;
  readonly walletAddress: Address;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly score: number;
  readonly totalScore: number;
  readonly sessions: number;
  readonly lastPlayedAt: string;
}

export interface VotingCandidate extends VoteCounts {
  readonly gameSlug: string;
  readonly title: string;
  readonly developer: string;
  readonly url: string;
}

/** What a vote is about; one vote per wallet and game. */
export interface Ballot {
  readonly walletAddress: Address;
  readonly gameSlug: string;
  readonly voteSource: "ai_agent" | "human";
}

export interface StatsSummary {
  readonly game: string | null;
  readonly sessions: number;
  readonly players: number;
  readonly liveSessions: number;
  readonly spectators: number;
  readonly highScore: number;
  readonly totalScore: number;
  readonly playSeconds: number;
}

/** Token amounts are decimal strings in the token's smallest unit. */
export interface Tokenomics {
  readonly token: TokenFacts;
  readonly totalSupply: string;
  readonly float: string;
  readonly paidToday: string;
  readonly paidTotal: string;
  readonly dailyCap: string;
  readonly weeklyCap: string;
  readonly scoreToTokenRate: string;
  readonly snapshots: number;
  readonly payouts: number;
  readonly asOf: AsOf;
}

interface TelemetryCommon {
  readonly walletAddress?: Address;
  readonly gameSlug?: string;
  readonly sessionId?: string;
  readonly metadata?: { readonly [field: string]: unknown };
  readonly occurredAt?: string;
}
export type TelemetryEvent = TelemetryCommon & ({ readonly event: string } | { readonly eventType: string });
