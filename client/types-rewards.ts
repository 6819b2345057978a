/** Shapes of snapshots, game NFTs and payouts. */
import type { Call } from "../backend/domain/calls.ts";
import type { Hex } from "../backend/domain/replay.ts";
import type { ReadinessReason } from "../backend/domain/rewards.ts";
import type { Finality } from "../backend/domain/session.ts";
import type { Address, AsOf, SignedCall } from "./types.ts";

export interface SnapshotSummary {
  readonly sessionId: string;
  readonly gameSlug: string;
  readonly scoreDelta: number;
  readonly gameSessionHash: Hex;
}

export type SnapshotAnswer =
  | (SnapshotSummary & SignedCall & { readonly mode: "sign" })
  | (SnapshotSummary & { readonly mode: "already_done"; readonly txHash: Hex | null })
  | (SnapshotSummary & { readonly mode: "recorded"; readonly txHash: Hex; readonly finality: Finality });

/** The answer to `all: true`: one call for up to 16 sessions. */
export type SnapshotBatchAnswer = SignedCall & {
  readonly mode: "sign";
  readonly sessions: readonly SnapshotSummary[];
  readonly scoreDelta: number;
};

export type NftReason = "NOT_NEW_HIGH_SCORE" | "BELOW_FIRST_TIER" | "ALREADY_RECORDED" | "TOKEN_TRANSFERRED";

export type NftPrepared =
  | {
      readonly action: "none";
      readonly score: number;
      readonly tier: number;
      readonly tokenId: string | null;
      readonly reason: NftReason;
    }
  | (SignedCall & {
      readonly action: "mint" | "upgrade";
      readonly score: number;
      readonly tier: number;
      readonly tokenId: string | null;
    });

export interface NftRecorded {
  readonly recorded: true;
  readonly action: "mint" | "upgrade";
  readonly tokenId: string;
  readonly tier: number;
  readonly score: number;
  readonly finality: Finality;
}

export interface TokenFacts {
  readonly address: Address;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

export interface Scorebank {
  readonly score: number;
  readonly snapshots: number;
  readonly lastSnapshotAt: string | null;
  readonly pending: readonly { readonly sessionId: string; readonly gameSlug: string; readonly scoreDelta: number }[];
  readonly byGame: { readonly [slug: string]: number };
  readonly asOf: AsOf;
}

export type PayoutReason = ReadinessReason | "PAYOUT_PENDING";

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly PayoutReason[];
  readonly scorebank: number;
  /** Token units. */
  readonly amount: string;
  readonly token: TokenFacts;
  readonly nextEligibleAt: string | null;
  readonly caps: { readonly dailyRemaining: string; readonly weeklyRemaining: string; readonly float: string };
  readonly asOf: AsOf;
}

export interface PayoutView {
  readonly payoutId: string;
  readonly status: "pending" | "sent" | "included" | "failed";
  readonly txHash: Hex | null;
  readonly amount: string;
  readonly score: number;
}

export interface PayoutEntry {
  readonly payoutId: string | null;
  readonly txHash: Hex;
  readonly block: number;
  readonly at: string;
  readonly score: number;
  readonly amount: string;
  readonly token: TokenFacts;
  readonly finality: Finality;
  readonly byGame: { readonly [slug: string]: number };
}

/** The unsigned payout, for a wallet that pays its own gas. */
export interface PayoutCall {
  readonly mode: "self";
  readonly call: Call;
  readonly amount: string;
  readonly score: number;
}
