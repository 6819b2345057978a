/** Shapes of market, voting and statistics. */
import type { Order, UnfillableReason } from "../backend/domain/market.ts";
import type { Hex } from "../backend/domain/replay.ts";
import type { Address, AsOf, TokenFacts, TypedData } from "./types.ts";

export type { Order, UnfillableReason } from "../backend/domain/market.ts";

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

/** An order to sign (EIP-712), as Seaport checks it. */
export interface OrderTypedData extends Omit<TypedData, "primaryType"> {
  readonly primaryType: "OrderComponents";
}

/** A Seaport order's components (decimal strings) with what the service knows of it. */
export interface Listing {
  /** The order's hash. */
  readonly listingId: Hex;
  /** `identity` or a game's slug. */
  readonly collection: string;
  readonly contract: Address;
  readonly tokenId: string;
  readonly seller: Address;
  readonly price: string;
  readonly currency: Address;
  readonly visible: boolean;
  readonly createdAt: string;
  readonly endsAt: string;
  readonly order: Order;
  /** Null until the seller has published it. */
  readonly signature: Hex | null;
  /** Why it cannot be bought now; empty in the public list. */
  readonly reasons: readonly UnfillableReason[];
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
