/** Seaport 1.6's EIP-712 domain and order types; a test compares them with the package's own. */
import { type Abi, type Address, parseAbi } from "viem";
import type { Order } from "./market.ts";

export const SEAPORT_NAME = "Seaport";
export const SEAPORT_VERSION = "1.6";

const ITEM_FIELDS = [
  { name: "itemType", type: "uint8" },
  { name: "token", type: "address" },
  { name: "identifierOrCriteria", type: "uint256" },
  { name: "startAmount", type: "uint256" },
  { name: "endAmount", type: "uint256" },
];

export const ORDER_TYPES = {
  OrderComponents: [
    { name: "offerer", type: "address" },
    { name: "zone", type: "address" },
    { name: "offer", type: "OfferItem[]" },
    { name: "consideration", type: "ConsiderationItem[]" },
    { name: "orderType", type: "uint8" },
    { name: "startTime", type: "uint256" },
    { name: "endTime", type: "uint256" },
    { name: "zoneHash", type: "bytes32" },
    { name: "salt", type: "uint256" },
    { name: "conduitKey", type: "bytes32" },
    { name: "counter", type: "uint256" },
  ],
  OfferItem: ITEM_FIELDS,
  ConsiderationItem: [...ITEM_FIELDS, { name: "recipient", type: "address" }],
};

const DOMAIN_FIELDS = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** An EIP-712 payload of Seaport; numbers are decimal strings. */
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

/** `seaport`: the contract's address. */
export const createSeaportDomain = (chainId: number, seaport: Address): OrderTypedData["domain"] => ({
  name: SEAPORT_NAME,
  version: SEAPORT_VERSION,
  chainId,
  verifyingContract: seaport,
});

/** What the seller signs of an order. */
export const createOrderTypedData = (chainId: number, seaport: Address, order: Order): OrderTypedData => ({
  domain: createSeaportDomain(chainId, seaport),
  types: { EIP712Domain: DOMAIN_FIELDS, ...ORDER_TYPES },
  primaryType: "OrderComponents",
  message: { ...order },
});

/** The call that buys; a test compares it with the package's own ABI. */
export const FULFILL_ABI = parseAbi([
  "struct OfferItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; }",
  "struct ConsiderationItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; address recipient; }",
  "struct OrderParameters { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 totalOriginalConsiderationItems; }",
  "struct Order { OrderParameters parameters; bytes signature; }",
  "function fulfillOrder(Order order, bytes32 fulfillerConduitKey) payable returns (bool fulfilled)",
]) as Abi;
