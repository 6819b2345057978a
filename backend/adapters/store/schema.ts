/**
 * The tables as Kysely sees them; columns are the same names in snake_case. Times are milliseconds since 1970 unless
 * the name has another unit. `PackedUint` is padded decimal text (numbers.ts). Wallets are stored as given:
 * checksummed.
 */

import type { Transaction } from "kysely";
import type { Address, Hex } from "viem";
import type { AdminCommandRow, AuditRow, TransactionOrderRow } from "../../ports/store/admin.ts";
import type { AccessTokenRow, ChannelTokenRow, NonceRow, RefreshTokenRow } from "../../ports/store/auth.ts";
import type { BlockRef, ChainEventRow, PayoutRow, TransactionRow } from "../../ports/store/chain.ts";
import type { IdempotencyRow } from "../../ports/store/idempotency.ts";
import type { PolicyRow, SeasonRow, ThinkingRow } from "../../ports/store/league.ts";
import type { ListingRow } from "../../ports/store/market.ts";
import type { NodeRow } from "../../ports/store/nodes.ts";
import type { RelayRow } from "../../ports/store/relays.ts";
import type { SessionRow } from "../../ports/store/sessions.ts";
import type { BoardTotals, StandingRow, SubscriberRow, TelemetryRow } from "../../ports/store/stats.ts";
import type { CandidateRow, CycleRow, VoteRow } from "../../ports/store/voting.ts";

export type PackedUint = string;

type Packed<T, K extends keyof T> = {
  [P in keyof T]: P extends K ? (null extends T[P] ? PackedUint | null : PackedUint) : T[P];
};

export type SessionTable = Packed<Omit<SessionRow, "snapshotTxHash" | "snapshotBlock">, "sequence"> & {
  /** 1 if the score's snapshot is on chain; triggers keep it in step with the events. */
  readonly isOnChain: number;
};

/** The data of a running session that one flush recorded; both lists are JSON. */
export interface RecordingChunkTable {
  sessionId: string;
  /** 1, 2, 3, ... within the session. */
  part: number;
  inputs: string;
  pauses: string;
}

/** The whole recording of an ended session: gzip of the JSON `{inputs, pauses, rulesHash}`. */
export interface RecordingTable {
  sessionId: string;
  content: Uint8Array;
}

export interface MetadataDocumentTable {
  digest: string;
  bytes: string;
  createdAtMs: number;
  /** The wallet whose registration it was created for, until its mint is known; null: kept forever. */
  wallet: Address | null;
}

export interface ProfileTable {
  wallet: Address;
  agentName: string;
  bio: string;
  /** JSON list of strings. */
  links: string;
  image: string | null;
  /** JSON list of `{name, endpoint}`. */
  services: string;
  updatedAtMs: number;
}

export interface SigningTable {
  kind: string;
  key: string;
  payloadHash: Hex;
  createdAtMs: number;
}

export type ChainEventTable = Packed<ChainEventRow, "sequence" | "tokenId" | "score" | "scorebank" | "amount"> & {
  /** One number that orders events: see `toPosition` in chain/events.ts. */
  position: number;
};

/** `order` is JSON; `visible` and `fillable` (could be bought when it was last checked) are 0 or 1. */
export type ListingTable = Packed<Omit<ListingRow, "order" | "visible">, "tokenId" | "price"> & {
  order: string;
  visible: number;
  fillable: number;
};

export type PayoutTable = Packed<PayoutRow, "score" | "amount" | "remaining">;

export type TransactionTable = Packed<TransactionRow, "value" | "maxFeePerGas" | "maxPriorityFeePerGas">;

export type SeasonTable = SeasonRow & {
  /** gzip of the JSON of the round; null before it was played, and if the season had no policies. */
  round: Uint8Array | null;
};

export type StandingTable = Omit<StandingRow, "profileName" | "bestGameSessionHash"> & { board: string };
export type BoardTotalsTable = BoardTotals & { board: string };

/** Sums over all events up to a block; see chain/totals.ts. */
export interface ChainTotalsTable {
  block: number;
  /** Unix seconds. */
  blockTime: number;
  snapshots: number;
  payouts: number;
  paid: PackedUint;
}

/** A wallet's bank after one of its snapshots or payouts; see chain/bank-rows.ts. */
export interface BankTable {
  wallet: Address;
  /** The event's position. */
  position: number;
  block: number;
  /** The contract's figure. */
  score: PackedUint;
  /** The number of unpaid snapshots, including a partly paid one. */
  snapshots: number;
  /** Unix seconds of the last snapshot ever. */
  lastSnapshotAt: number | null;
  /** JSON of the points in the bank by slug. */
  byGame: string;
  /** JSON of the points paid by the payout, by slug; null after a snapshot. */
  paidByGame: string | null;
  /** The position of the oldest unpaid snapshot; null if the bank is empty. */
  oldestPosition: number | null;
  /** The remaining points of that snapshot. */
  oldestPoints: PackedUint | null;
}

/** Which process works on this database; see lease/lease.ts. */
export interface LeaseRow {
  readonly name: string;
  /** A new id at each start of the process; null after a release. */
  readonly owner: string | null;
  /** Increases with each owner: later writes of an earlier owner are rejected. */
  readonly epoch: number;
  /** Counts the owner's renewals. If it stands still for long enough, other processes take the owner as gone. */
  readonly renewals: number;
  /** The owner's wall clock; shown to people only. */
  readonly expiresAtMs: number;
  /** Machine and process namespace in which `processId` identifies the owner. */
  readonly place: string;
  readonly processId: number;
}

export interface Schema {
  nonces: NonceRow;
  accessTokens: AccessTokenRow;
  refreshTokens: RefreshTokenRow;
  sessions: SessionTable;
  recordingChunks: RecordingChunkTable;
  recordings: RecordingTable;
  channelTokens: ChannelTokenRow;
  idempotencyKeys: IdempotencyRow;
  metadataDocuments: MetadataDocumentTable;
  profiles: ProfileTable;
  signings: SigningTable;
  listings: ListingTable;
  deployment: { part: string; value: string };
  blocks: BlockRef;
  chainEvents: ChainEventTable;
  payouts: PayoutTable;
  transactions: TransactionTable;
  relays: RelayRow;
  transactionOrders: TransactionOrderRow;
  votingCandidates: CandidateRow;
  votingCycles: CycleRow;
  votes: VoteRow;
  leagueSeasons: SeasonTable;
  leaguePolicies: PolicyRow;
  leagueThinking: ThinkingRow;
  audit: AuditRow;
  orders: AdminCommandRow;
  hiddenListings: { listingId: Hex; wasVisible: number; hiddenAtMs: number };
  standings: StandingTable;
  boardTotals: BoardTotalsTable;
  chainTotals: ChainTotalsTable;
  scorebanks: BankTable;
  telemetryEvents: TelemetryRow;
  subscribers: SubscriberRow;
  leases: LeaseRow;
  nodes: NodeRow;
}

/** An open transaction. */
export type Db = Transaction<Schema>;
