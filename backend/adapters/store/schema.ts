/**
 * The tables as Kysely sees them; columns are the same names in snake_case. Times are milliseconds since 1970 unless
 * the name says otherwise. `PackedUint` is padded decimal text (numbers.ts). Wallets are stored as given: checksummed.
 */
import type {
  AccessTokenRow,
  Address,
  AuditRow,
  BlockRef,
  BoardTotals,
  CandidateRow,
  ChainEventRow,
  ChannelTokenRow,
  CycleRow,
  Hex,
  IdempotencyRow,
  ListingRow,
  NonceRow,
  OrderRow,
  PayoutRow,
  RefreshTokenRow,
  SessionRow,
  StandingRow,
  SubscriberRow,
  TelemetryRow,
  TransactionRow,
  VoteRow,
} from "../../ports.ts";

export type PackedUint = string;

type Packed<T, K extends keyof T> = {
  [P in keyof T]: P extends K ? (null extends T[P] ? PackedUint | null : PackedUint) : T[P];
};

export type SessionTable = Packed<Omit<SessionRow, "snapshotTxHash" | "snapshotBlock">, "sequence">;

/** What one flush recorded of a running session; both lists are JSON. */
export interface RecordingChunkTable {
  sessionId: string;
  /** 1, 2, 3, ... within the session. */
  part: number;
  inputs: string;
  stateDigests: string;
}

/** The whole recording of an ended session: gzip of the JSON `{inputs, stateDigests}`. */
export interface RecordingTable {
  sessionId: string;
  content: Uint8Array;
}

export interface MetadataDocumentTable {
  digest: string;
  bytes: string;
  createdAtMs: number;
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
  /** One number that orders events: see `positionOf` in chain-events.ts. */
  position: number;
};

/** `order` is JSON, `visible` 0 or 1. */
export type ListingTable = Packed<Omit<ListingRow, "order" | "visible">, "tokenId" | "price"> & {
  order: string;
  visible: number;
};

export type PayoutTable = Packed<PayoutRow, "score" | "amount">;

export type TransactionTable = Packed<TransactionRow, "value" | "maxFeePerGas" | "maxPriorityFeePerGas">;

export type StandingTable = Omit<StandingRow, "profileName"> & { board: string };
export type BoardTotalsTable = BoardTotals & { board: string };

/** Sums over all events up to a block; see chain-totals.ts. */
export interface ChainTotalsTable {
  block: number;
  /** Unix seconds. */
  blockTime: number;
  snapshots: number;
  payouts: number;
  paid: PackedUint;
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
  blocks: BlockRef;
  chainEvents: ChainEventTable;
  payouts: PayoutTable;
  transactions: TransactionTable;
  votingCandidates: CandidateRow;
  votingCycles: CycleRow;
  votes: VoteRow;
  audit: AuditRow;
  orders: OrderRow;
  hiddenListings: { listingId: Hex; wasVisible: number; hiddenAtMs: number };
  standings: StandingTable;
  boardTotals: BoardTotalsTable;
  chainTotals: ChainTotalsTable;
  telemetryEvents: TelemetryRow;
  subscribers: SubscriberRow;
  probes: { id: number };
}
