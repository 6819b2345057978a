/** Ports of the chain's reads. Every method throws `CHAIN_UNAVAILABLE` when the node does not answer in time. */
import type { Address, Hex } from "viem";
import type { ReadinessReason } from "../../domain/rewards.ts";
import type { BlockFinality, Finality } from "../../domain/session.ts";
import type { Receipt } from "./receipts.ts";
import type { WalletFigures } from "./store/chain-audit.ts";

export interface Deployment {
  readonly chainId: number;
  readonly startBlock: number;
  readonly identity: Address;
  readonly rewards: Address;
  readonly token: Address;
  /** Seaport, once the market is deployed. */
  readonly market: Address | null;
  readonly nft: { readonly [slug: string]: Address };
  /** The base URI of token documents in the contracts. */
  readonly publicUrl?: string;
}

export interface Head {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: number;
}

/** The head that what is signed was read at. */
export interface FreshHead extends Head {
  /**
   * The time that the next block has at least, in unix seconds; deadlines count from it. The head's own time would be
   * too early: a chain that was idle stamps its next block with the current time.
   */
  readonly nextTimestamp: number;
}

declare const FRESH: unique symbol;

/**
 * A fact that was read for one request, at a block not older than the head that the indexer has confirmed. Only the
 * chain reader makes them. Functions that sign take the chain's facts in this form, so that no cached value can be signed.
 */
export interface Fresh<Value> {
  readonly value: Value;
  readonly at: FreshHead;
  readonly [FRESH]: true;
}

/**
 * Reads at one block, for what is signed. What several requests read at one moment is one question to the node. Every
 * method throws `CHAIN_UNAVAILABLE`.
 */
export interface FreshReads {
  readonly at: FreshHead;
  /** The wallet's primary identity while it still owns it, else null (`primaryIdentity`). */
  getPrimaryIdentity(wallet: Address): Promise<Fresh<bigint | null>>;
  getMintNonce(wallet: Address): Promise<Fresh<bigint>>;
  /** Null: the token is not minted. */
  getGameNft(slug: string, tokenId: bigint): Promise<Fresh<GameNftRecord | null>>;
  isSessionConsumed(wallet: Address, gameSessionHash: Hex): Promise<Fresh<boolean>>;
}

/** The block at which a value was read. */
export interface AsOf {
  readonly block: number;
  readonly hash: Hex;
  readonly finality: Finality;
}

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly ReadinessReason[];
  readonly scorebank: bigint;
  /** Points that a payout would pay now: the whole bank, or the portion that the caps leave. */
  readonly points: bigint;
  /** Token base units that a payout would transfer now. */
  readonly amount: bigint;
  /** Unix seconds; 0 when no cooldown is active. */
  readonly nextPayoutAt: number;
  readonly caps: { readonly dailyRemaining: bigint; readonly weeklyRemaining: bigint; readonly float: bigint };
  readonly asOf: Head;
}

export interface GameNftRecord {
  readonly owner: Address;
  readonly score: bigint;
  readonly tier: number;
}

export interface TokenInfo {
  readonly address: Address;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** A contract's EIP-712 domain, read from the contract (ERC-5267). */
export interface ContractDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** Values of the token and the rewards contract at one block. Amounts are token base units. */
export interface RewardsState {
  readonly totalSupply: bigint;
  readonly float: bigint;
  readonly dailyCap: bigint;
  readonly weeklyCap: bigint;
  readonly scoreToTokenRate: bigint;
  readonly asOf: Head;
}

/** The contracts' own figures after one block, for comparison with those of the indexed events. */
export interface ContractFigures {
  readonly block: number;
  readonly hash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: number;
  readonly wallets: readonly WalletFigures[];
  readonly totals: {
    /** How many identities exist. */
    readonly identities: bigint;
    /** Token base units, of the UTC day and the week of the block's time. */
    readonly dailyCap: bigint;
    readonly weeklyCap: bigint;
    readonly dailyRemaining: bigint;
    readonly weeklyRemaining: bigint;
  };
}

export interface ChainReader {
  readonly deployment: Deployment;
  /** Reads it from the node; `ChainIndex` knows the head of the last poll. */
  getHead(): Promise<Head>;
  /** The first block with this time (unix seconds) or a later one, up to the block `last`; null if there is none yet. */
  findBlockSince(timestamp: number, last: number): Promise<Pick<Head, "number" | "hash"> | null>;
  /**
   * Reads at the head of the indexer's last poll; `ChainIndex.waitForHead` polls first. Throws `CHAIN_UNAVAILABLE` where
   * that poll has failed.
   */
  openFreshReads(): Promise<FreshReads>;
  getBalance(address: Address): Promise<bigint>;
  /** The wallet's primary identity while it still owns it, else null (`primaryIdentity`). */
  getPrimaryIdentity(wallet: Address): Promise<bigint | null>;
  /** The same after a past block. Throws `CHAIN_UNAVAILABLE` when the node does not keep the state of that block. */
  getPrimaryIdentityAt(wallet: Address, block: number): Promise<bigint | null>;
  /** Owner and URI of one identity, null when it does not exist; the URI is null if it is longer than 8 kB. */
  getIdentity(agentId: bigint): Promise<{ readonly owner: Address; readonly tokenURI: string | null } | null>;
  /** The number of identities that the wallet owns; one of them may be its primary one. */
  getIdentityCount(wallet: Address): Promise<bigint>;
  getReadiness(wallet: Address): Promise<Readiness>;
  getRewardsState(): Promise<RewardsState>;
  isSessionConsumed(wallet: Address, gameSessionHash: Hex): Promise<boolean>;
  /** The contracts' figures of these wallets, and of all together, after a block. */
  readFigures(wallets: readonly Address[], block: number): Promise<ContractFigures>;
  getGameNft(slug: string, tokenId: bigint): Promise<GameNftRecord | null>;
  /** Null while the transaction is not in a block. */
  getReceipt(txHash: Hex): Promise<Receipt | null>;
  getTokenInfo(): Promise<TokenInfo>;
  /** True when the address has code (a contract wallet, ERC-1271). */
  hasCode(address: Address): Promise<boolean>;
  /** Whether the contract accepts this account's signatures now. */
  isSigner(contract: Address, account: Address): Promise<boolean>;
  /** The accounts whose signatures the contract accepts now; empty when it accepts none. */
  getSigners(contract: Address): Promise<readonly Address[]>;
  /** Whether the contract rejects every signed call now. */
  isPaused(contract: Address): Promise<boolean>;
  /** Whether the account may relay payouts. */
  isOperator(account: Address): Promise<boolean>;
  /** Null when the address has no contract with a domain. */
  getDomain(contract: Address): Promise<ContractDomain | null>;
  /** ERC-1271 `isValidSignature`, of a wallet that is not deployed too (ERC-6492), with a 2 s limit. */
  isValidSignature(wallet: Address, digest: Hex, signature: Hex): Promise<boolean>;
}

/**
 * What is known of the chain without asking a node: the indexed events, and the contracts' state at the last indexed head.
 * None of it is fresh in the sense of `Fresh`, so nothing is signed over it. Values of the contracts' state throw
 * `CHAIN_UNAVAILABLE` until they were read once.
 */
export type ChainFacts = Pick<
  ChainReader,
  | "deployment"
  | "getPrimaryIdentity"
  | "getPrimaryIdentityAt"
  | "getIdentity"
  | "getGameNft"
  | "isSessionConsumed"
  | "getReadiness"
  | "getRewardsState"
  | "getTokenInfo"
> & {
  /** The identities that the wallet owns, oldest first; with 100 there may be more. */
  listIdentities(wallet: Address): Promise<readonly bigint[]>;
  /** The chain's clock, which may be ahead of the machine's on the local chain; unix seconds. */
  getPresentTime(): number;
  /** No later block has an earlier time; unix seconds, 0 before the first read. */
  getNextBlockTime(): number;
};

/** The contracts' events as the store holds them, and what the indexer knows of the chain; only waiting takes time. */
export interface ChainIndex {
  /** The chain's head at the indexer's last poll; null before the first one. */
  getHead(): Head | null;
  /**
   * A head that the store holds every event up to; null before the first one, and while blocks are read again. What is
   * read from the store afterward is at least as new.
   */
  getStoredHead(): Head | null;
  /** Why the last poll of the chain failed; null if it succeeded. */
  getProblem(): string | null;
  /** Blocks up to these numbers are safe, final, at the same poll; -1 before the first one. */
  getFinality(): BlockFinality;
  /**
   * Asks the node for its head, and waits until the store holds the events up to it, for half of the time at most that the request may
   * wait for the chain, and for `timeoutMs`. Returns false if it could not, for callers that then ask the contracts.
   */
  waitForHead(timeoutMs?: number): Promise<boolean>;
  /** Waits as long for everything that is known of the chain to be of this block or a later one; false if it is not. */
  waitForBlock(block: number): Promise<boolean>;
  /**
   * Waits for the end of the indexer's next poll, which begins by itself; the call starts none. A chain that announces
   * its changes is not waited for any longer than for these. Resolves at once while the node does not answer.
   */
  waitForNextPoll(): Promise<void>;
  /** Another text whenever what is stored of the chain, or known of its head, may have changed. */
  getRevision(): string;
  /** Waits until the changes that a chain in this process has announced are stored; on other chains not at all. */
  waitForChanges(): Promise<void>;
  /** Calls back after each poll with which the store holds the events up to the head. */
  onIndexed(callback: (head: Head) => Promise<void> | void): void;
}
