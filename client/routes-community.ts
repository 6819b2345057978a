/** The part of the route table that is about others: market, voting and statistics. */
import { get, post } from "./route.ts";
import type * as T from "./types.ts";
import type { Call, Hex } from "./types.ts";

type Nothing = Record<never, never>;

export const COMMUNITY_ROUTES = {
  market: {
    listings: get<
      T.PageQuery & {
        readonly collection?: string;
        readonly seller?: T.Address;
        readonly sortBy?: "recent" | "price" | "priceDesc" | "endsAt";
      },
      T.Page<T.Listing> & { readonly listings: readonly T.Listing[] }
    >("/api/market/listings"),
    listingPayload: post<
      {
        readonly collection: string;
        readonly tokenId: string;
        readonly price: string;
        readonly currency?: T.Address;
        readonly durationSeconds?: number;
      },
      {
        readonly listingId: Hex;
        readonly order: T.Order;
        readonly typedData: T.OrderTypedData;
        readonly approval: Call | null;
      }
    >("/api/market/listing-payload", "wallet", "keyed"),
    visibilityMy: post<T.PageQuery, T.Page<T.Listing> & { readonly listings: readonly T.Listing[] }>(
      "/api/market/visibility/my",
      "wallet",
    ),
    visibilitySet: post<
      { readonly listingId: Hex; readonly visible: boolean; readonly signature?: Hex },
      { readonly listingId: Hex; readonly visible: boolean }
    >("/api/market/visibility/set", "wallet"),
    agentInstructions: get<Nothing, T.Instructions>("/api/market/agent-instructions"),
  },
  voting: {
    status: get<
      { readonly gameSlug: string },
      T.VoteCounts & { readonly gameSlug: string; readonly cycle: T.VotingCycle | null }
    >("/api/voting/status"),
    candidates: get<
      Nothing,
      {
        readonly cycle: T.VotingCycle | null;
        readonly games: readonly T.VotingCandidate[];
      }
    >("/api/voting/status"),
    nonce: post<T.Ballot, { readonly nonce: string; readonly typedData: T.TypedData; readonly expiresAt: string }>(
      "/api/voting/nonce",
      "none",
    ),
    vote: post<
      T.Ballot & { readonly nonce: string; readonly signature: Hex },
      T.VoteCounts & { readonly recorded: true }
    >("/api/voting/vote", "none", "keyed"),
    ballots: get<{ readonly gameSlug: string } & T.PageQuery, T.Page<{ readonly [field: string]: unknown }>>(
      "/api/voting/ballots",
    ),
  },
  stats: {
    track: post<T.TelemetryEvent, { readonly accepted: number }>("/api/events/track", "none", "keyed"),
    /** The older name of `track`. */
    trackLegacy: post<T.TelemetryEvent, { readonly accepted: number }>("/api/analytics/event", "none", "keyed"),
    subscribe: post<{ readonly email: string }, { readonly subscribed: true }>("/api/newsletter/subscribe", "none"),
    leaderboard: get<
      T.PageQuery & {
        readonly game?: string;
        readonly period?: "day" | "week" | "month" | "all";
        readonly sortBy?: "score" | "totalScore" | "sessions" | "recent";
        readonly hideZero?: boolean;
      },
      T.Page<T.LeaderboardEntry> & { readonly entries: readonly T.LeaderboardEntry[] }
    >("/api/leaderboard"),
    summary: get<{ readonly game?: string }, T.StatsSummary>("/api/stats/summary"),
    tokenomics: get<Nothing, T.Tokenomics>("/api/tokenomics/summary"),
  },
} as const;
