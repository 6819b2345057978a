import type { Address, Hex } from "viem";
import { concatHex, domainSeparator, encodeFunctionData, hashStruct, keccak256 } from "viem";
import type { Order, OrderState } from "../../../../domain/market.ts";
import {
  createOrderTypedData,
  createSeaportDomain,
  ORDER_TYPES,
  type OrderTypedData,
} from "../../../../domain/seaport.ts";
import type { Deployment } from "../../../ports/chain.ts";
import type { MarketReader, SaleState, StoredOrder } from "../../../ports/market-reader.ts";
import { callUntrusted } from "../contract-wallet.ts";
import { readEach } from "../reader/multicall.ts";
import type { Rpc } from "../rpc.ts";
import { createUnavailableError } from "../rpc-errors.ts";
import { collectionAbi, seaportAbi } from "./abi.ts";

/** A deployless multicall returns at most 24,576 bytes (EIP-170); the results of one order take less than 1,000. */
const ORDERS_PER_CALL = 20;
const CALLS_PER_ORDER = 5;

/** isValidated, isCancelled, totalFilled, totalSize. */
type OrderStatus = readonly [boolean, boolean, bigint, bigint];

/** The order in the form of Seaport's ABI. */
const toParameters = ({ counter: _, ...order }: Order) => {
  const toItem = <T extends Order["offer"][number]>(item: T) => ({
    ...item,
    identifierOrCriteria: BigInt(item.identifierOrCriteria),
    startAmount: BigInt(item.startAmount),
    endAmount: BigInt(item.endAmount),
  });
  return {
    ...order,
    offer: order.offer.map(toItem),
    consideration: order.consideration.map(toItem),
    startTime: BigInt(order.startTime),
    endTime: BigInt(order.endTime),
    salt: BigInt(order.salt),
    totalOriginalConsiderationItems: BigInt(order.consideration.length),
  };
};

/** The value of a view of Seaport that never reverts. */
function requireValue<T>(value: T | null): T {
  if (value === null) throw createUnavailableError("a call to Seaport failed");
  return value;
}

/** The values of `createTokenCalls`: owner, approved address, approval for all, and the seller's counter. */
type TokenValues = readonly [Address | null, Address | null, boolean | null, bigint | null];
type OrderValues = readonly [...TokenValues, OrderStatus | null];

/** Reads Seaport 1.6 and the tokens that are sold through it. */
export class SeaportReader implements MarketReader {
  readonly address: Address | null;
  readonly #rpc: Rpc;
  readonly #chainId: number;
  #domainSeparator: Hex | undefined;

  constructor({ rpc, deployment }: { readonly rpc: Rpc; readonly deployment: Pick<Deployment, "chainId" | "market"> }) {
    this.#rpc = rpc;
    this.#chainId = deployment.chainId;
    this.address = deployment.market;
  }

  /** `hashStruct` of EIP-712, without the domain: Seaport calls it the order hash. */
  hashOrder(order: Order): Hex {
    return hashStruct({ data: { ...order }, primaryType: "OrderComponents", types: ORDER_TYPES });
  }

  toTypedData(order: Order): OrderTypedData {
    return createOrderTypedData(this.#chainId, this.#getSeaport().address, order);
  }

  toDigest(listingId: Hex): Hex {
    this.#domainSeparator ??= domainSeparator({
      domain: createSeaportDomain(this.#chainId, this.#getSeaport().address),
    });
    return keccak256(concatHex(["0x1901", this.#domainSeparator, listingId]));
  }

  async getSaleState({
    contract,
    tokenId,
    seller,
    price,
  }: Parameters<MarketReader["getSaleState"]>[0]): Promise<SaleState> {
    const [royalty, ...token] = await this.#rpc.withDeadline((client) =>
      readEach(
        client,
        [
          { address: contract, abi: collectionAbi, functionName: "royaltyInfo", args: [tokenId, price] },
          ...this.#createTokenCalls(contract, tokenId, seller),
        ],
        { blockTag: "latest" },
      ),
    );
    return {
      ...this.#toTokenState(token),
      royalty: royalty === null ? null : { receiver: royalty[0], amount: royalty[1] },
    };
  }

  async getOrderStates(orders: readonly StoredOrder[], block: number): Promise<readonly OrderState[]> {
    const batches: Promise<readonly OrderState[]>[] = [];
    for (let start = 0; start < orders.length; start += ORDERS_PER_CALL) {
      // Started together, so that the transport sends them in one request.
      batches.push(this.#readOrders(orders.slice(start, start + ORDERS_PER_CALL), block));
    }
    return (await Promise.all(batches)).flat();
  }

  /** Calls Seaport's `validate`, which reverts if it rejects the signature, and otherwise returns true. */
  async isValidOrderSignature(order: Order, signature: Hex): Promise<boolean> {
    const data = encodeFunctionData({
      abi: seaportAbi,
      functionName: "validate",
      args: [[{ parameters: toParameters(order), signature }]],
    });
    const result = await callUntrusted(this.#rpc, { to: this.#getSeaport().address, data });
    return result !== null && BigInt(result) === 1n;
  }

  #getSeaport() {
    if (this.address === null) throw new Error("there is no market on this chain");
    return { address: this.address, abi: seaportAbi } as const;
  }

  /** The calls for a token's owner, its approvals for Seaport, and the seller's counter. */
  #createTokenCalls(contract: Address, tokenId: bigint, seller: Address) {
    const collection = { address: contract, abi: collectionAbi } as const;
    return [
      { ...collection, functionName: "ownerOf", args: [tokenId] },
      { ...collection, functionName: "getApproved", args: [tokenId] },
      { ...collection, functionName: "isApprovedForAll", args: [seller, this.#getSeaport().address] },
      { ...this.#getSeaport(), functionName: "getCounter", args: [seller] },
    ] as const;
  }

  #toTokenState([owner, approved, approvedForAll, counter]: TokenValues) {
    return { owner, isApproved: approved === this.address || approvedForAll === true, counter: requireValue(counter) };
  }

  async #readOrders(orders: readonly StoredOrder[], block: number): Promise<readonly OrderState[]> {
    const contracts = orders.flatMap(({ listingId, order }) => {
      const offered = order.offer[0]!;
      return [
        ...this.#createTokenCalls(offered.token, BigInt(offered.identifierOrCriteria), order.offerer),
        { ...this.#getSeaport(), functionName: "getOrderStatus", args: [listingId] } as const,
      ];
    });
    const values = await this.#rpc.withDeadline((client) =>
      readEach(client, contracts, { blockNumber: BigInt(block) }),
    );
    return orders.map((_, n) => {
      const start = n * CALLS_PER_ORDER;
      return this.#toOrderState(values.slice(start, start + CALLS_PER_ORDER) as unknown as OrderValues);
    });
  }

  #toOrderState([owner, approved, approvedForAll, counter, status]: OrderValues): OrderState {
    const [, isCancelled, totalFilled] = requireValue(status);
    return {
      ...this.#toTokenState([owner, approved, approvedForAll, counter]),
      isCancelled,
      isFilled: totalFilled > 0n,
    };
  }
}
