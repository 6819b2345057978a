/**
 * The tables as Kysely sees them; columns are the same names in snake_case. Times are milliseconds since 1970 unless
 * the name says otherwise. `PackedUint` is padded decimal text (numbers.ts). Wallets are stored as given: checksummed.
 */
import type {
  AccessTokenRow,
  Address,
  BlockRef,
  ChainEventRow,
  ChannelTokenRow,
  Hex,
  IdempotencyRow,
  NonceRow,
  PayoutRow,
  RefreshTokenRow,
  SessionRow,
  TransactionRow,
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

export type PayoutTable = Packed<PayoutRow, "score" | "amount">;

export type TransactionTable = Packed<TransactionRow, "value" | "maxFeePerGas" | "maxPriorityFeePerGas">;

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
  blocks: BlockRef;
  chainEvents: ChainEventTable;
  payouts: PayoutTable;
  transactions: TransactionTable;
  probes: { id: number };
}
