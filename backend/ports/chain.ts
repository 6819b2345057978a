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
  /** The base URI of token documents, as set in the contracts. */
  readonly publicUrl?: string;
}

export interface Head {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: number;
}

/** The head at which facts for a signature were read. */
export interface FreshHead extends Head {
  /**
   * The earliest possible time of the next block, in unix seconds; deadlines count from it. The head's own time would
   * be too early: a chain that was idle stamps its next block with the current time.
   */
  readonly nextTimestamp: number;
}

declare const FRESH: unique symbol;

/**
 * A fact that was read for one request, at a block not older than the head that the indexer has confirmed. Only the
 * chain reader creates these. Functions that sign require facts in this form, so that no cached value is signed.
 */
export interface Fresh<Value> {
  readonly value: Value;
  readonly at: FreshHead;
  readonly [FRESH]: true;
}

/**
 * Reads at one block, for signatures. Simultaneous reads of several requests share one call to the node. Every method
 * throws `CHAIN_UNAVAILABLE`.
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

/** The contracts' figures after one block, for comparison with those of the indexed events. */
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

export interface RoleHolder {
  /** What the contract accepts the account for: as a signer of its calls, or to relay payouts. */
  readonly role: "signer" | "operator";
  readonly contract: Address;
  readonly account: Address;
}

export interface ChainReader {
  readonly deployment: Deployment;
  /** Reads it from the node; `ChainIndex` knows the head of the last poll. */
  getHead(): Promise<Head>;
  /**
   * The first block with this time (unix seconds) or a later one, up to the block `last`; null if there is none yet.
   */
  findBlockSince(timestamp: number, last: number): Promise<Pick<Head, "number" | "hash"> | null>;
  /**
   * Reads at the head of the indexer's last poll; `ChainIndex.waitForHead` polls first. Throws `CHAIN_UNAVAILABLE` if
   * that poll failed.
   */
  openFreshReads(): Promise<FreshReads>;
  getBalance(address: Address): Promise<bigint>;
  /** The wallet's primary identity while it still owns it, else null (`primaryIdentity`). */
  getPrimaryIdentity(wallet: Address): Promise<bigint | null>;
  /** The same after a past block. Throws `CHAIN_UNAVAILABLE` if the node has no state for that block. */
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
  /** Whether each account has its role now. Sends one request for all of them. */
  checkRoles(holders: readonly RoleHolder[]): Promise<readonly boolean[]>;
  /** The accounts whose signatures the contract accepts now; empty when it accepts none. */
  getSigners(contract: Address): Promise<readonly Address[]>;
  /** Null when the address has no contract with a domain. */
  getDomain(contract: Address): Promise<ContractDomain | null>;
  /** ERC-1271 `isValidSignature`, of a wallet that is not deployed too (ERC-6492), with a 2 s limit. */
  isValidSignature(wallet: Address, digest: Hex, signature: Hex): Promise<boolean>;
}

/**
 * What is known of the chain without querying a node: the indexed events, and the contracts' state at the last indexed
 * head. None of it is `Fresh`, so it must not be signed. Values of the contracts' state throw `CHAIN_UNAVAILABLE` until
 * they were read once.
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
  /** The contracts that reject every signed call; empty before the first read. */
  listPaused(): readonly Address[];
  /** The chain's clock, which may be ahead of the machine's on the local chain; unix seconds. */
  getPresentTime(): number;
  /** No later block has an earlier time; unix seconds, 0 before the first read. */
  getNextBlockTime(): number;
};

/** The contracts' events as stored, and what the indexer knows of the chain. Only the waiting methods take time. */
export interface ChainIndex {
  /** The chain's head at the indexer's last poll; null before the first one. */
  getHead(): Head | null;
  /**
   * A head up to which the store holds every event; null before the first one, and while blocks are read again. Later
   * reads of the store are at least as new.
   */
  getStoredHead(): Head | null;
  /** Why the last poll of the chain failed; null if it succeeded. */
  getProblem(): string | null;
  /** The highest safe and final block numbers at the same poll; -1 before the first one. */
  getFinality(): BlockFinality;
  /**
   * Reads the node's head and waits until the store holds the events up to it, for at most `timeoutMs` and half of the
   * time that the request may wait for the chain. Returns false on a timeout; callers then read the contracts.
   */
  waitForHead(timeoutMs?: number): Promise<boolean>;
  /** Waits as long until all known chain data is of this block or a later one; false on a timeout. */
  waitForBlock(block: number): Promise<boolean>;
  /**
   * Waits for the end of the indexer's next poll, without starting one. On a chain that announces its changes, waits
   * only until those are stored. Resolves at once while the node does not answer.
   */
  waitForNextPoll(): Promise<void>;
  /** Changes whenever stored chain data or the known head may have changed. */
  getRevision(): string;
  /** Waits until the changes that a chain in this process has announced are stored; does not wait on other chains. */
  waitForChanges(): Promise<void>;
  /** Calls back after each poll that leaves the store with all events up to the head. */
  onIndexed(callback: (head: Head) => Promise<void> | void): void;
}
