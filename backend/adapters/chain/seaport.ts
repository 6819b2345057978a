/** Reads Seaport 1.6 and the tokens that are sold through it. */
import {
  EIP_712_ORDER_TYPE,
  SEAPORT_CONTRACT_NAME,
  SEAPORT_CONTRACT_VERSION_V1_6,
} from "@opensea/seaport-js/lib/constants.js";
import { concatHex, domainSeparator, encodeFunctionData, hashStruct, keccak256, type MulticallResponse } from "viem";
import type { Order, OrderFacts } from "../../domain/market.ts";
import type { Deployment, MarketReader, OrderTypedData, StoredOrder } from "../../ports.ts";
import { askStranger } from "./contract-wallet.ts";
import { answerOf, ONE_CALL } from "./reader.ts";
import { type Rpc, unavailable } from "./rpc.ts";
import { collectionAbi, seaportAbi } from "./seaport-abi.ts";

type Address = `0x${string}`;

/** A deployless multicall answers as code does: at most 24,576 bytes (EIP-170). An order's answers take less than 1,000. */
const ORDERS_PER_CALL = 20;
const QUESTIONS = 5;

const DOMAIN_FIELDS = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** isValidated, isCancelled, totalFilled, totalSize. */
type OrderStatus = readonly [boolean, boolean, bigint, bigint];

/** The order as Seaport's ABI wants it. */
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

type Answer<T> = MulticallResponse<T, Error, true>;

/** What Seaport itself says. It answers every question: a revert is a multicall that broke, and nothing to go by. */
function ownAnswer<T>(response: Answer<T>): T {
  const answer = answerOf(response);
  if (answer === null) throw unavailable("a question to Seaport failed");
  return answer;
}

export function createMarketReader({
  rpc,
  deployment,
}: {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
}): MarketReader {
  const { chainId, market } = deployment;

  const seaport = () => {
    if (market === null) throw new Error("there is no market on this chain");
    return { address: market, abi: seaportAbi } as const;
  };

  const domain = () => ({
    name: SEAPORT_CONTRACT_NAME,
    version: SEAPORT_CONTRACT_VERSION_V1_6,
    chainId,
    verifyingContract: seaport().address,
  });
  let separator: `0x${string}` | undefined;
  const ownSeparator = (): `0x${string}` => {
    separator ??= domainSeparator({ domain: domain() });
    return separator;
  };

  /** Who may move a token, and who owns it. */
  const tokenQuestions = (contract: Address, tokenId: bigint, seller: Address) => {
    const collection = { address: contract, abi: collectionAbi } as const;
    return [
      { ...collection, functionName: "ownerOf", args: [tokenId] },
      { ...collection, functionName: "getApproved", args: [tokenId] },
      { ...collection, functionName: "isApprovedForAll", args: [seller, seaport().address] },
      { ...seaport(), functionName: "getCounter", args: [seller] },
    ] as const;
  };

  const tokenFacts = (
    [owner, approved, approvedForAll, counter]: readonly [
      Answer<Address>,
      Answer<Address>,
      Answer<boolean>,
      Answer<bigint>,
    ],
    seaportAddress: Address,
  ) => ({
    owner: answerOf(owner),
    isApproved: answerOf(approved) === seaportAddress || answerOf(approvedForAll) === true,
    counter: ownAnswer(counter),
  });

  const readOrders = (orders: readonly StoredOrder[], block: number) =>
    rpc.guard(
      (client) =>
        client.multicall({
          ...ONE_CALL,
          blockNumber: BigInt(block),
          contracts: orders.flatMap(({ listingId, order }) => [
            ...tokenQuestions(order.offer[0]!.token, BigInt(order.offer[0]!.identifierOrCriteria), order.offerer),
            { ...seaport(), functionName: "getOrderStatus", args: [listingId] } as const,
          ]),
        }) as Promise<readonly Answer<never>[]>,
    );

  function factsIn(answers: readonly Answer<never>[]): OrderFacts {
    const [owner, approved, forAll, counter, status] = answers;
    const [, isCancelled, totalFilled] = ownAnswer<OrderStatus>(status!);
    return {
      ...tokenFacts([owner!, approved!, forAll!, counter!], seaport().address),
      isCancelled,
      isFilled: totalFilled > 0n,
    };
  }

  return {
    address: market,

    // EIP-712 "hashStruct", without the domain: what Seaport calls the order hash.
    hashOf: (order) => hashStruct({ data: { ...order }, primaryType: "OrderComponents", types: EIP_712_ORDER_TYPE }),

    typedDataOf: (order): OrderTypedData => ({
      domain: domain(),
      types: { EIP712Domain: DOMAIN_FIELDS, ...EIP_712_ORDER_TYPE },
      primaryType: "OrderComponents",
      message: { ...order },
    }),

    digestOf: (listingId) => keccak256(concatHex(["0x1901", ownSeparator(), listingId])),

    saleFacts: async ({ contract, tokenId, seller, price }) => {
      const [owner, approved, forAll, counter, royalty] = await rpc.guard((client) =>
        client.multicall({
          ...ONE_CALL,
          contracts: [
            ...tokenQuestions(contract, tokenId, seller),
            { address: contract, abi: collectionAbi, functionName: "royaltyInfo", args: [tokenId, price] },
          ],
        }),
      );
      const wanted = answerOf(royalty);
      return {
        ...tokenFacts([owner, approved, forAll, counter], seaport().address),
        royalty: wanted === null ? null : { receiver: wanted[0], amount: wanted[1] },
      };
    },

    orderFacts: async (orders, block) => {
      const parts: Promise<readonly Answer<never>[]>[] = [];
      for (let start = 0; start < orders.length; start += ORDERS_PER_CALL) {
        const part = orders.slice(start, start + ORDERS_PER_CALL);
        // Asked in the same moment: the transport makes one request of them.
        parts.push(readOrders(part, block));
      }
      const answers = (await Promise.all(parts)).flat();
      return orders.map((_, index) => factsIn(answers.slice(index * QUESTIONS, (index + 1) * QUESTIONS)));
    },

    // Seaport's own judgement: `validate` reverts where it would not take the signature, and answers true.
    isSigned: async (order, signature) => {
      const data = encodeFunctionData({
        abi: seaportAbi,
        functionName: "validate",
        args: [[{ parameters: toParameters(order), signature }]],
      });
      const answer = await askStranger(rpc, { to: seaport().address, data });
      return answer !== null && BigInt(answer) === 1n;
    },
  };
}
