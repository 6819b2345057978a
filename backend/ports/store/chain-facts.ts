/** Facts of the chain from the indexed events. */
import type { Address, Hex } from "viem";

export interface IdentityToken {
  readonly owner: Address;
  /** Null if it has none, or one that is longer than 8 kB. */
  readonly tokenURI: string | null;
}

export interface GameToken {
  readonly owner: Address;
  readonly score: bigint;
  readonly tier: number;
}

/** What a payout depends on. Times are unix seconds, 0 for never. */
export interface PayoutAccount {
  readonly scorebank: bigint;
  readonly firstPlayAt: number;
  readonly lastPayoutAt: number;
  /** Since when the wallet has its primary identity; 0: it has none. */
  readonly primarySince: number;
}

export interface ChainFactStore {
  /** The identity that the wallet acts as, after the block if one is given; null if it has none. */
  findPrimaryIdentity(wallet: Address, block?: number): Promise<bigint | null>;
  /** Null if there is no such identity. */
  findIdentity(agentId: bigint): Promise<IdentityToken | null>;
  /** The identities that the wallet registered with a URI that ends in `uriEnd`, oldest first; at most 100. */
  listRegistrations(wallet: Address, uriEnd: string): Promise<readonly bigint[]>;
  /** The identities that the wallet owns, oldest first; with 100 there may be more. */
  listIdentities(wallet: Address): Promise<readonly bigint[]>;
  /** Null if the token is not minted. */
  findGameToken(slug: string, tokenId: bigint): Promise<GameToken | null>;
  /** Whether the wallet's sequence was consumed by a snapshot, or cancelled and not restored. */
  isSequenceConsumed(wallet: Address, gameSessionHash: Hex): Promise<boolean>;
  getPayoutAccount(wallet: Address): Promise<PayoutAccount>;
}
