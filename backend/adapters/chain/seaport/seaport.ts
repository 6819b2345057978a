import type { Address, Hex } from "viem";
import { concatHex, domainSeparator, encodeFunctionData, hashStruct, keccak256, type MulticallResponse } from "viem";
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
import { getCallResult, SINGLE_CALL } from "../reader/multicall.ts";
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

type CallResult<T> = MulticallResponse<T, Error, true>;

/** The result of a view of Seaport. These views never revert: a revert means that the whole multicall failed. */
function getSeaportResult<T>(response: CallResult<T>): T {
  const result = getCallResult(response);
  if (result === null) throw createUnavailableError("a call to Seaport failed");
  return result;
}

/** What `createTokenCalls` returns: owner, approved address, approval for all, and the seller's counter. */
type TokenResults = readonly [CallResult<Address>, CallResult<Address>, CallResult<boolean>, CallResult<bigint>];

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
    const [owner, approved, approvedForAll, counter, royalty] = await this.#rpc.withDeadline(async (client) => {
      const responses = await client.multicall({
        ...SINGLE_CALL,
        contracts: [
          ...this.#createTokenCalls(contract, tokenId, seller),
          { address: contract, abi: collectionAbi, functionName: "royaltyInfo", args: [tokenId, price] },
        ],
      });
      // A failure of the node is in every response: it is thrown here, where it becomes `CHAIN_UNAVAILABLE`.
      for (const response of responses) getCallResult<unknown>(response);
      return responses;
    });
    const royaltyInfo = getCallResult(royalty);
    return {
      ...this.#toTokenState([owner, approved, approvedForAll, counter]),
      royalty: royaltyInfo === null ? null : { receiver: royaltyInfo[0], amount: royaltyInfo[1] },
    };
  }

  async getOrderStates(orders: readonly StoredOrder[], block: number): Promise<readonly OrderState[]> {
    const batches: Promise<readonly CallResult<never>[]>[] = [];
    for (let start = 0; start < orders.length; start += ORDERS_PER_CALL) {
      // Started together, so that the transport sends one request for all of them.
      batches.push(this.#readOrders(orders.slice(start, start + ORDERS_PER_CALL), block));
    }
    const results = (await Promise.all(batches)).flat();
    return orders.map((_, index) =>
      this.#toOrderState(results.slice(index * CALLS_PER_ORDER, (index + 1) * CALLS_PER_ORDER)),
    );
  }

  /** Calls Seaport's `validate`, which reverts when it does not accept the signature, and else returns true. */
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

  #toTokenState([owner, approved, approvedForAll, counter]: TokenResults) {
    return {
      owner: getCallResult(owner),
      isApproved: getCallResult(approved) === this.address || getCallResult(approvedForAll) === true,
      counter: getSeaportResult(counter),
    };
  }

  #readOrders(orders: readonly StoredOrder[], block: number): Promise<readonly CallResult<never>[]> {
    const contracts = orders.flatMap(({ listingId, order }) => {
      const offered = order.offer[0]!;
      return [
        ...this.#createTokenCalls(offered.token, BigInt(offered.identifierOrCriteria), order.offerer),
        { ...this.#getSeaport(), functionName: "getOrderStatus", args: [listingId] } as const,
      ];
    });
    return this.#rpc.withDeadline(
      (client) =>
        client.multicall({ ...SINGLE_CALL, blockNumber: BigInt(block), contracts }) as Promise<
          readonly CallResult<never>[]
        >,
    );
  }

  #toOrderState(results: readonly CallResult<never>[]): OrderState {
    const [owner, approved, approvedForAll, counter, status] = results;
    const [, isCancelled, totalFilled] = getSeaportResult<OrderStatus>(status!);
    return {
      ...this.#toTokenState([owner!, approved!, approvedForAll!, counter!]),
      isCancelled,
      isFilled: totalFilled > 0n,
    };
  }
}
