/**
 * Reads of the marketplace contract. Methods that query the node throw `CHAIN_UNAVAILABLE` when it does not answer in
 * time.
 */
import type { Address, Hex } from "viem";
import type { Order, OrderState, Royalty } from "../../domain/market.ts";
import type { OrderTypedData } from "../../domain/seaport.ts";

/** The state of a token before an order for it is created. */
export interface SaleState {
  /** Null when the token does not exist. */
  readonly owner: Address | null;
  readonly isApproved: boolean;
  readonly counter: bigint;
  /** ERC-2981, for this price; null when the collection has none. */
  readonly royalty: Royalty | null;
}

export interface StoredOrder {
  readonly listingId: Hex;
  readonly order: Order;
}

export interface MarketReader {
  /** Seaport; null on a chain without it. */
  readonly address: Address | null;
  /** Seaport's hash of the order. */
  hashOrder(order: Order): Hex;
  toTypedData(order: Order): OrderTypedData;
  /** The EIP-712 digest that the seller signs for an order of this hash. */
  toDigest(listingId: Hex): Hex;
  getSaleState(sale: {
    readonly contract: Address;
    readonly tokenId: bigint;
    readonly seller: Address;
    readonly price: bigint;
  }): Promise<SaleState>;
  /** The states of many orders at one block, in the same order, with few round trips. */
  getOrderStates(orders: readonly StoredOrder[], block: number): Promise<readonly OrderState[]>;
  /** Whether Seaport accepts the signature for the order (ECDSA, EIP-2098, ERC-1271). */
  isValidOrderSignature(order: Order, signature: Hex): Promise<boolean>;
}
