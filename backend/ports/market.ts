/** What the services know of the market's contract. Reads throw `CHAIN_UNAVAILABLE` when the node does not answer in time. */
import type { Order, OrderFacts, Royalty } from "../domain/market.ts";
import type { Address, Hex } from "./store.ts";

/** An EIP-712 payload of Seaport's; numbers are decimal strings. */
export interface OrderTypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: Address;
  };
  readonly types: { readonly [name: string]: readonly { readonly name: string; readonly type: string }[] };
  readonly primaryType: "OrderComponents";
  readonly message: { readonly [field: string]: unknown };
}

/** One token as an order for it is made. */
export interface SaleFacts {
  /** Null where the token does not exist. */
  readonly owner: Address | null;
  readonly isApproved: boolean;
  readonly counter: bigint;
  /** ERC-2981, for this price; null where the collection asks for none. */
  readonly royalty: Royalty | null;
}

export interface StoredOrder {
  readonly listingId: Hex;
  readonly order: Order;
}

export interface MarketReader {
  /** Seaport; null on a chain without it. */
  readonly address: Address | null;
  /** The order's hash, as Seaport computes it. */
  hashOf(order: Order): Hex;
  typedDataOf(order: Order): OrderTypedData;
  /** What a seller signs: the EIP-712 digest of an order of this hash. */
  digestOf(listingId: Hex): Hex;
  saleFacts(sale: {
    readonly contract: Address;
    readonly tokenId: bigint;
    readonly seller: Address;
    readonly price: bigint;
  }): Promise<SaleFacts>;
  /** Facts of many orders at one block, in their order; few round trips. */
  orderFacts(orders: readonly StoredOrder[], block: number): Promise<readonly OrderFacts[]>;
  /** Whether Seaport takes the signature for the order (ECDSA, EIP-2098, ERC-1271). */
  isSigned(order: Order, signature: Hex): Promise<boolean>;
}
