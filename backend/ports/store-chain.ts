/** The store's side of the chain: what was signed, what was seen, what is being sent. */
type Hex = `0x${string}`;
type Address = `0x${string}`;

export interface SigningStore {
  /**
   * Writes down what is about to be signed, before the signature leaves. `recorded`: new or the same facts;
   * `conflict`: the key was signed with other facts, and nothing may leave.
   */
  record(row: {
    readonly kind: string;
    readonly key: string;
    readonly payloadHash: Hex;
    readonly atMs: number;
  }): Promise<"recorded" | "conflict">;
}

/** One event of our contracts, as the follower stores it. Rows vanish with their block when it is reorganized away. */
export interface ChainEventRow {
  readonly block: number;
  readonly blockHash: Hex;
  /** Unix seconds of the block. */
  readonly blockTime: number;
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly name: "ScoreSnapshot" | "Payout" | "GameNftMinted" | "GameNftUpgraded" | "Registered";
  readonly wallet: Address;
  readonly slug: string | null;
  readonly gameSessionHash: Hex | null;
  /** The wallet's sequence inside the hash (ScoreSnapshot). */
  readonly sequence: bigint | null;
  /** Agent or token id (Registered, NFT events). */
  readonly tokenId: bigint | null;
  readonly tier: number | null;
  readonly score: bigint | null;
  /** ScoreSnapshot: the scorebank after it. */
  readonly scorebank: bigint | null;
  /** Payout: token base units. */
  readonly amount: bigint | null;
}

export interface BlockRef {
  readonly number: number;
  readonly hash: Hex;
}

export interface ScorebankView {
  readonly score: bigint;
  readonly snapshots: number;
  /** Unix seconds of the last snapshot's block. */
  readonly lastSnapshotAt: number | null;
  /** Snapshotted since the last payout, by slug. */
  readonly byGame: { readonly [slug: string]: bigint };
}

export interface PayoutEntry {
  readonly payoutId: string | null;
  readonly txHash: Hex;
  readonly block: number;
  /** Unix seconds. */
  readonly at: number;
  readonly score: bigint;
  readonly amount: bigint;
  /** Score paid by game: the snapshots between the payout before and this one. */
  readonly byGame: { readonly [slug: string]: bigint };
}

/** Sums over all wallets, as of a block. */
export interface ChainTotals {
  readonly snapshots: number;
  readonly payouts: number;
  /** Token base units. */
  readonly paid: bigint;
  /** Paid in blocks of the time asked for, or later. */
  readonly paidSince: bigint;
}

export interface ChainStore {
  /** The last block whose events are stored, null before the first. */
  cursor(): Promise<BlockRef | null>;
  blockAt(number: number): Promise<BlockRef | null>;
  /** Stores a range's events and moves the cursor, in one transaction. */
  append(blocks: readonly BlockRef[], events: readonly ChainEventRow[]): Promise<void>;
  /** Forgets every block above `number`, with its events. */
  rewind(number: number): Promise<void>;
  scorebank(wallet: Address): Promise<ScorebankView>;
  payouts(
    wallet: Address,
    slug: string | null,
    page: { readonly page: number; readonly limit: number },
  ): Promise<{ readonly items: readonly PayoutEntry[]; readonly total: number }>;
  totals(query: { readonly block: number; readonly sinceSeconds: number }): Promise<ChainTotals>;
  /** The wallet's event with this hash, if it is on chain. */
  snapshotOf(wallet: Address, gameSessionHash: Hex): Promise<ChainEventRow | null>;
  /** Latest minted or upgraded event of a wallet's identity token in a game. */
  nftEvents(slug: string, tokenId: bigint): Promise<readonly ChainEventRow[]>;
}

export type PayoutStatus = "pending" | "sent" | "included" | "failed";

export interface PayoutRow {
  readonly payoutId: string;
  readonly wallet: Address;
  readonly slug: string | null;
  readonly status: PayoutStatus;
  /** Ledger transaction. */
  readonly transactionId: string | null;
  readonly txHash: Hex | null;
  readonly score: bigint;
  readonly amount: bigint;
  readonly createdAtMs: number;
}

export interface PayoutStore {
  /** Opens a payout unless the wallet has an open one; answers the open one either way. */
  open(row: PayoutRow): Promise<{ readonly opened: boolean; readonly payout: PayoutRow }>;
  find(payoutId: string): Promise<PayoutRow | null>;
  update(
    payoutId: string,
    change: Partial<Pick<PayoutRow, "status" | "transactionId" | "txHash" | "score" | "amount">>,
  ): Promise<void>;
  /** Not yet included or failed. */
  listOpen(): Promise<readonly PayoutRow[]>;
  findOpen(wallet: Address): Promise<PayoutRow | null>;
}

export interface TransactionRow {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  /** The operator that signed it: nonces are counted for each. */
  readonly from: Address;
  readonly nonce: number;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly raw: Hex;
  readonly txHash: Hex;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly status: "queued" | "sent" | "included" | "failed";
  readonly block: number | null;
  readonly createdAtMs: number;
  readonly sentAtMs: number | null;
}

export interface TransactionStore {
  findByKey(kind: string, key: string): Promise<TransactionRow | null>;
  find(id: string): Promise<TransactionRow | null>;
  /** Nonce, raw bytes and row in one transaction, before anything is broadcast. Throws on a taken nonce or key. */
  add(row: TransactionRow): Promise<void>;
  /** The highest nonce of an operator in the ledger, null when it has none. */
  lastNonce(from: Address): Promise<number | null>;
  /** An operator's queued or sent ones, in nonce order. */
  listOpen(from: Address): Promise<readonly TransactionRow[]>;
  update(
    id: string,
    change: Partial<
      Pick<
        TransactionRow,
        "status" | "nonce" | "block" | "raw" | "txHash" | "maxFeePerGas" | "maxPriorityFeePerGas" | "sentAtMs"
      >
    >,
  ): Promise<void>;
}
