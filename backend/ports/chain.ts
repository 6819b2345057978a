import type { ReadinessReason } from "../domain/rewards.ts";

/** What the services know of the chain. Every method throws `CHAIN_UNAVAILABLE` when the node does not answer in time. */
type Hex = `0x${string}`;
type Address = `0x${string}`;

export interface Deployment {
  readonly chainId: number;
  readonly startBlock: number;
  readonly identity: Address;
  readonly rewards: Address;
  readonly token: Address;
  /** Seaport, once the market is deployed. */
  readonly market: Address | null;
  readonly nft: { readonly [slug: string]: Address };
}

export interface Head {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: number;
}

/** The block an answer was read at. */
export interface AsOf {
  readonly block: number;
  readonly hash: Hex;
  readonly finality: "included" | "safe" | "final";
}

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly ReadinessReason[];
  readonly scorebank: bigint;
  /** Token base units the payout would transfer. */
  readonly amount: bigint;
  /** Unix seconds, 0 where a payout is possible in time. */
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

export type ReceiptEvent =
  | {
      readonly name: "GameNftMinted";
      readonly slug: string;
      readonly wallet: Address;
      readonly tokenId: bigint;
      readonly score: bigint;
      readonly tier: number;
    }
  | {
      readonly name: "GameNftUpgraded";
      readonly slug: string;
      readonly wallet: Address;
      readonly tokenId: bigint;
      readonly oldScore: bigint;
      readonly score: bigint;
      readonly tier: number;
    }
  | {
      readonly name: "ScoreSnapshot";
      readonly wallet: Address;
      readonly gameId: Hex;
      readonly gameSessionHash: Hex;
      readonly score: bigint;
      readonly scorebank: bigint;
    }
  | {
      readonly name: "Payout";
      readonly wallet: Address;
      readonly day: bigint;
      readonly score: bigint;
      readonly amount: bigint;
    }
  | { readonly name: "Registered"; readonly agentId: bigint; readonly tokenURI: string; readonly owner: Address };

export interface Receipt {
  readonly txHash: Hex;
  readonly status: "success" | "reverted";
  readonly block: number;
  readonly blockHash: Hex;
  /** Events of the deployment's own contracts, in log order. */
  readonly events: readonly ReceiptEvent[];
}

/** A contract's EIP-712 domain, as it says itself (ERC-5267). */
export interface ContractDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** What the token and the rewards contract say at one block. Amounts are token base units. */
export interface RewardsFacts {
  readonly totalSupply: bigint;
  readonly float: bigint;
  readonly dailyCap: bigint;
  readonly weeklyCap: bigint;
  readonly scoreToTokenRate: bigint;
  readonly asOf: Head;
}

export interface ChainReader {
  readonly deployment: Deployment;
  head(): Promise<Head>;
  /** Blocks up to these numbers are safe, final. */
  finality(): Promise<{ readonly safe: number; readonly final: number }>;
  balanceOf(address: Address): Promise<bigint>;
  /** The wallet's primary identity while it still owns it, else null (`primaryIdentity`). */
  identityOf(wallet: Address): Promise<bigint | null>;
  /** As it was after that block. The node must keep its state: `CHAIN_UNAVAILABLE` where it does not. */
  identityAt(wallet: Address, block: number): Promise<bigint | null>;
  /** Owner and URI of one identity; null where it does not exist. */
  identity(agentId: bigint): Promise<{ readonly owner: Address; readonly tokenURI: string } | null>;
  mintNonceOf(wallet: Address): Promise<bigint>;
  readiness(wallet: Address): Promise<Readiness>;
  rewardsFacts(): Promise<RewardsFacts>;
  isSessionConsumed(wallet: Address, gameSessionHash: Hex): Promise<boolean>;
  gameNft(slug: string, tokenId: bigint): Promise<GameNftRecord | null>;
  /** Null while the transaction is not in a block. */
  receipt(txHash: Hex): Promise<Receipt | null>;
  token(): Promise<TokenInfo>;
  /** True where the address has code (a contract wallet, ERC-1271). */
  hasCode(address: Address): Promise<boolean>;
  /** Whether the contract accepts this account's signatures now. */
  isSigner(contract: Address, account: Address): Promise<boolean>;
  /** The accounts whose signatures the contract accepts now; empty where it takes none. */
  signersOf(contract: Address): Promise<readonly Address[]>;
  /** Whether the account may relay payouts. */
  isOperator(account: Address): Promise<boolean>;
  /** Null where the address has no contract with a domain. */
  domainOf(contract: Address): Promise<ContractDomain | null>;
  /** ERC-1271 `isValidSignature`, with a 2 s limit. */
  isValidSignature(wallet: Address, digest: Hex, signature: Hex): Promise<boolean>;
}

export type TransactionStatus = "queued" | "sent" | "included" | "failed";

export interface LedgerTransaction {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly status: TransactionStatus;
  readonly txHash: Hex | null;
  readonly block: number | null;
}

/** The operator's transactions: stored before they are broadcast, in nonce order, healed after a crash. */
export interface ChainWriter {
  readonly operator: Address;
  /** The same (kind, key) always answers the same transaction. */
  submit(request: {
    readonly kind: string;
    readonly key: string;
    readonly to: Address;
    readonly data: Hex;
    readonly value?: bigint;
  }): Promise<LedgerTransaction>;
  /** Resolves when included or failed, or with the present state after `timeoutMs`. */
  settled(id: string, timeoutMs: number): Promise<LedgerTransaction>;
  find(id: string): Promise<LedgerTransaction | null>;
}
