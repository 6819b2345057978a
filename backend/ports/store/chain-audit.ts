/** What the audit of the indexed events reads. */
import type { Address } from "viem";

/**
 * Figures of one wallet after a block, of the stored events or of the contracts. Times are unix seconds, 0 for never.
 */
export interface WalletFigures {
  readonly wallet: Address;
  /** The number of snapshots. */
  readonly snapshots: bigint;
  /** Credited and restored points less paid and voided ones. */
  readonly scorebank: bigint;
  readonly firstPlayAt: bigint;
  readonly lastSnapshotAt: bigint;
  readonly lastPayoutAt: bigint;
  /** 0: the wallet has none. */
  readonly primaryIdentity: bigint;
}

export interface ChainAuditStore {
  /** Wallets with indexed events or sessions, in text order after this one; null: from the first. */
  listWallets(after: Address | null, limit: number): Promise<readonly Address[]>;
  /** The wallet's figures from the events up to the block. */
  sumWallet(wallet: Address, block: number): Promise<WalletFigures>;
  /** How many identities were registered up to the block. */
  countIdentities(block: number): Promise<bigint>;
  /** What was paid up to the block, in blocks of this time or later; token base units. */
  sumPaid(block: number, sinceSeconds: number): Promise<bigint>;
  /**
   * The block of the last event up to which a wallet's snapshots and payouts add up; a missing event is in that block
   * or a later one. Null: they do not add up from the start.
   */
  findGap(wallet: Address): Promise<number | null>;
  /**
   * Wallets with snapshots in this block or later that belong to no stored session, with their points, less points that
   * were voided since and not restored.
   */
  listForged(sinceBlock: number): Promise<readonly { readonly wallet: Address; readonly points: bigint }[]>;
}
