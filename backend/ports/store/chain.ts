/** Stores of the chain: signatures, indexed events, payouts and transactions. */
import type { Address, Hex } from "viem";
import type { TransactionOrderOutcome } from "../../../domain/operator-transactions.ts";
import type { NewRelay } from "./relays.ts";

export interface SigningStore {
  /**
   * Records a payload before its signature is sent. `recorded`: a new payload or the same one; `conflict`: another
   * payload was signed for this key, so nothing may be sent.
   */
  record(row: {
    readonly kind: string;
    readonly key: string;
    readonly payloadHash: Hex;
    readonly atMs: number;
  }): Promise<"recorded" | "conflict">;
}

export type ChainEventName =
  | "ScoreSnapshot"
  | "Payout"
  | "SessionCancelled"
  | "SessionRestored"
  | "PointsVoided"
  | "PointsRestored"
  | "GameNftMinted"
  | "GameNftUpgraded"
  | "GameNftAnnulled"
  | "Transfer"
  | "Registered"
  | "PrimaryIdentitySet"
  | "URIUpdated"
  | "BaseURISet";

/** One indexed event of our contracts. A reorganization removes rows together with their block. */
export interface ChainEventRow {
  readonly block: number;
  readonly blockHash: Hex;
  /** Unix seconds of the block. */
  readonly blockTime: number;
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly name: ChainEventName;
  /** The wallet that the event is about: a token's owner after it; the caller if the event has no other wallet. */
  readonly wallet: Address;
  readonly slug: string | null;
  readonly gameSessionHash: Hex | null;
  /** The wallet's sequence inside the hash (ScoreSnapshot, SessionCancelled, SessionRestored). */
  readonly sequence: bigint | null;
  /** Agent or token id (events of identities and game NFTs). */
  readonly tokenId: bigint | null;
  readonly tier: number | null;
  readonly score: bigint | null;
  /** ScoreSnapshot, Payout, PointsVoided, PointsRestored: the scorebank after it. */
  readonly scorebank: bigint | null;
  /** Payout: token base units. */
  readonly amount: bigint | null;
  /** Registered, URIUpdated, BaseURISet; null also when it is longer than 8 kB. */
  readonly uri: string | null;
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
  /** The points in the bank by slug; payouts take the oldest points first. */
  readonly byGame: { readonly [slug: string]: bigint };
}

export interface PayoutEntry {
  /** Null for a payout that the wallet sent itself. */
  readonly payoutId: string | null;
  readonly txHash: Hex;
  readonly block: number;
  /** Unix seconds. */
  readonly at: number;
  readonly score: bigint;
  readonly amount: bigint;
  /** The points that were paid, by slug; payouts take the oldest points first. */
  readonly byGame: { readonly [slug: string]: bigint };
}

/** Sums over all wallets, as of a block. */
export interface ChainTotals {
  readonly snapshots: number;
  readonly payouts: number;
  /** Token base units. */
  readonly paid: bigint;
  /** Paid in blocks of `sinceSeconds` or later. */
  readonly paidSince: bigint;
}

export interface ChainStore {
  /** The last block whose events are stored, null before the first. */
  getCursor(): Promise<BlockRef | null>;
  /** Null before the first. */
  getFirstBlock(): Promise<BlockRef | null>;
  findBlock(number: number): Promise<BlockRef | null>;
  findLastBlock(upTo: number): Promise<BlockRef | null>;
  /**
   * Stores a range's events and moves the cursor, in one transaction. If the cursor is not `expectedCursor`, as after a
   * rewind by the operator, stores nothing and returns false. Sometimes removes most blocks far below the range; their
   * events stay.
   */
  append(
    blocks: readonly BlockRef[],
    events: readonly ChainEventRow[],
    expectedCursor?: BlockRef | null,
  ): Promise<boolean>;
  /** What identifies the stored events of the blocks `from` to `to`. */
  listEventKeys(from: number, to: number): Promise<readonly Pick<ChainEventRow, "blockHash" | "logIndex">[]>;
  /**
   * Removes every block above `number`, with its events. If the cursor is not `expectedCursor`, as after another
   * backend's write, removes nothing. Returns the last block that is left.
   */
  rewind(number: number, expectedCursor?: BlockRef | null): Promise<BlockRef | null>;
  getScorebank(wallet: Address): Promise<ScorebankView>;
  listPayouts(
    wallet: Address,
    slug: string | null,
    page: { readonly page: number; readonly limit: number },
  ): Promise<{ readonly items: readonly PayoutEntry[]; readonly total: number }>;
  getTotals(query: { readonly block: number; readonly sinceSeconds: number }): Promise<ChainTotals>;
  /** The wallet's payout in this transaction, if it is on chain. */
  findPayout(wallet: Address, txHash: Hex): Promise<ChainEventRow | null>;
}

export type PayoutStatus = "pending" | "sent" | "included" | "failed";

export interface PayoutRow {
  readonly payoutId: string;
  readonly wallet: Address;
  readonly slug: string | null;
  readonly status: PayoutStatus;
  /** The transaction that sends it. */
  readonly transactionId: string | null;
  readonly txHash: Hex | null;
  /** Points that are paid. */
  readonly score: bigint;
  /** Token base units. */
  readonly amount: bigint;
  /** Points that stay in the bank. */
  readonly remaining: bigint;
  readonly createdAtMs: number;
  /** When its transaction became final or the contract rejected it; null while the chain may still change it. */
  readonly settledAtMs: number | null;
  /** When a reorganization last undid it; null when none has. */
  readonly reopenedAtMs: number | null;
}

/** The fields copied from a payout's transaction. */
export type PayoutChange = Partial<
  Pick<PayoutRow, "status" | "transactionId" | "txHash" | "score" | "amount" | "remaining" | "settledAtMs">
>;

export interface PayoutStore {
  /** Opens a payout unless the wallet has an open one; returns the open one in both cases. */
  open(row: PayoutRow): Promise<PayoutRow>;
  find(payoutId: string): Promise<PayoutRow | null>;
  /**
   * Moves a payout forward (pending, sent, then included or failed), if it still has the status `from` and is not
   * settled. False when it does not. Throws when the change goes backward.
   */
  advance(payoutId: string, from: PayoutStatus, change: PayoutChange): Promise<boolean>;
  /** Fails a payout that the contract or the policy refuses. False if a transaction of it is stored. */
  failUnsent(payoutId: string, atMs: number): Promise<boolean>;
  /** Moves a payout that a reorganization has undone back to `sent`, if it still has the status `from`. */
  reopen(payoutId: string, from: "included" | "failed", atMs: number): Promise<boolean>;
  /** Not yet included or failed, oldest first. */
  listOpen(): Promise<readonly PayoutRow[]>;
  /** The number of open payouts, and when the oldest of them was asked for. */
  summarizeOpen(): Promise<{ readonly count: number; readonly oldestAtMs: number | null }>;
  /** The payouts that have no transaction yet, or differ from it; oldest first. */
  listUnsynced(): Promise<readonly PayoutRow[]>;
  /** The wallet's payouts that the chain may still change, oldest first. */
  listUnsettled(wallet: Address): Promise<readonly PayoutRow[]>;
  /** The oldest open payout of the wallet. */
  findOpen(wallet: Address): Promise<PayoutRow | null>;
}

export interface TransactionRow {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  /** The operator that signed it; each operator has its own nonces. */
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
  /** When its block became final, or the contract rejected it; null while the transaction is watched. */
  readonly settledAtMs: number | null;
  /** Why the node did not accept it at the last attempt; null when it did. */
  readonly lastError: string | null;
  /** The last version of the call if `raw` is the empty transfer that replaces it; null otherwise. */
  readonly cancelledRaw: Hex | null;
}

/** What may change in a stored transaction. */
export type TransactionChange = Partial<
  Pick<
    TransactionRow,
    | "status"
    | "from"
    | "nonce"
    | "block"
    | "raw"
    | "txHash"
    | "maxFeePerGas"
    | "maxPriorityFeePerGas"
    | "sentAtMs"
    | "settledAtMs"
    | "lastError"
    | "cancelledRaw"
  >
>;

/** The outcome of an operator's order for a transaction. */
export interface CarriedOutOrder {
  readonly orderId: string;
  readonly outcome: TransactionOrderOutcome;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

export interface TransactionStore {
  /** The stored transactions of these calls, unordered. */
  findByKeys(calls: readonly Pick<TransactionRow, "kind" | "key">[]): Promise<readonly TransactionRow[]>;
  find(id: string): Promise<TransactionRow | null>;
  /** Stores nonce and raw bytes before the broadcast. Throws when the nonce or the key is taken. */
  add(row: TransactionRow): Promise<void>;
  /**
   * The same for many, with the relays of some of them: all rows or none. Throws `SponsorshipExceededError` if a relay
   * exceeds the bounds of its day, and `PayoutsFailedError` for payouts that have failed.
   */
  addMany(rows: readonly TransactionRow[], relays?: readonly NewRelay[]): Promise<void>;
  /** The highest stored nonce of an operator, null when it has none. */
  getLastNonce(from: Address): Promise<number | null>;
  /** How many of an operator's transactions up to a nonce were stored at this time or later. */
  countSince(from: Address, sinceMs: number, upToNonce: number): Promise<number>;
  /** How many of an operator's transactions have a nonce above `aboveNonce`, up to `upToNonce`. */
  countBetween(from: Address, aboveNonce: number, upToNonce: number): Promise<number>;
  /** An operator's transactions that are watched, in nonce order. */
  listUnsettled(from: Address): Promise<readonly TransactionRow[]>;
  /** The transactions of all other operators that are watched, in the order of operators and nonces. */
  listUnsettledOfOthers(from: Address): Promise<readonly TransactionRow[]>;
  /** Those of `listUnsettled` that wait for a block, or whose block is above this number. */
  listUnconfirmed(from: Address, aboveBlock: number): Promise<readonly TransactionRow[]>;
  /** How many wait for a block, and the newest block of those that are watched; null if none has a block. */
  summarizeUnsettled(from: Address): Promise<{ readonly waiting: number; readonly newestBlock: number | null }>;
  /** Ends the watch of transactions whose block is this one or an earlier one. */
  settle(from: Address, upToBlock: number, atMs: number): Promise<void>;
  /** Marks queued transactions as sent, except those that a block or another call has changed since. */
  markSent(ids: readonly string[], atMs: number): Promise<void>;
  /** Stores why a node did not accept a transaction. Returns false and changes nothing if it no longer waits. */
  noteRefusal(id: string, reason: string | null): Promise<boolean>;
  update(id: string, change: TransactionChange): Promise<void>;
  /**
   * Replaces a row's signed bytes. Returns false and changes nothing if another backend has replaced them before.
   * `carriedOut`: the operator's order that this completes, in the same commit.
   */
  replace(
    row: Pick<TransactionRow, "id" | "raw">,
    change: TransactionChange,
    carriedOut?: CarriedOutOrder | null,
  ): Promise<boolean>;
  updateMany(ids: readonly string[], change: TransactionChange): Promise<void>;
}
