/** Sellers and buyers on the real Seaport. */
import { Seaport } from "@opensea/seaport-js";
import { SeaportABI } from "@opensea/seaport-js/lib/abi/Seaport.js";
import { JsonRpcProvider, Wallet } from "ethers";
import { type Abi, createPublicClient, encodeFunctionData, http, parseAbi } from "viem";
import { hardhat } from "viem/chains";
import type { Call, Hex } from "../../../client/index.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { Order } from "../../../domain/market.ts";
import { createAgent, type Player } from "../../../testing/player.ts";
import type { ApiResponse, TestStack } from "../../helpers/suite.ts";
import { getAgentId } from "./identities.ts";
import { sendCall } from "./on-chain.ts";
import type { RouteTester } from "./watch-routes.ts";

export const ETHER = 10n ** 18n;
/** Default price of a listing. */
export const PRICE = ETHER / 100n;
const ZERO_HASH = `0x${"0".repeat(64)}` as const;

const TOKENS = parseAbi([
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function balanceOf(address account) view returns (uint256)",
  "function approve(address spender, uint256 value)",
  "function setApprovalForAll(address operator, bool approved)",
]);

export const createChainClient = (stack: TestStack) =>
  createPublicClient({ chain: hardhat, transport: http(stack.chain.rpcUrl), cacheTime: 0 });

export interface SignedOrder {
  readonly order: Order;
  readonly signature: Hex;
}

/** The order in the form of Seaport's calls. */
export const toOrderParameters = ({ counter: _, ...order }: Order) => ({
  ...order,
  totalOriginalConsiderationItems: order.consideration.length,
});

const encodeSeaportCall = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: SeaportABI as Abi, functionName, args });

/** A plain call of `fulfillOrder`, with the price as value if it is the chain's coin. */
export async function buy(
  stack: TestStack,
  buyer: Player,
  { order, signature }: SignedOrder,
): Promise<"success" | "reverted"> {
  const value = order.consideration
    .filter(({ itemType }) => itemType === 0)
    .reduce((sum, { startAmount }) => sum + BigInt(startAmount), 0n);
  const data = encodeSeaportCall("fulfillOrder", [{ parameters: toOrderParameters(order), signature }, ZERO_HASH]);
  const call = { chainId: 31337, to: stack.deployment.market!, value: value.toString(), data };
  try {
    const { txHash } = await buyer.wallet.sendCall(call as unknown as Call);
    return (await buyer.wallet.waitForReceipt(txHash)).status;
  } catch {
    return "reverted";
  }
}

export const callSeaport = (
  stack: TestStack,
  player: Player,
  functionName: string,
  args: readonly unknown[],
): Promise<Hex> => sendCall(player, { to: stack.deployment.market!, data: encodeSeaportCall(functionName, args) });

export const callToken = (
  player: Player,
  token: Hex,
  functionName: "approve" | "setApprovalForAll",
  args: readonly unknown[],
): Promise<Hex> =>
  sendCall(player, { to: token, data: encodeFunctionData({ abi: TOKENS as Abi, functionName, args }) });

export const getTokenOwner = (stack: TestStack, contract: Hex, tokenId: string): Promise<Hex> =>
  createChainClient(stack).readContract({
    address: contract,
    abi: TOKENS,
    functionName: "ownerOf",
    args: [BigInt(tokenId)],
  });

export const getTokenBalance = (stack: TestStack, wallet: Hex): Promise<bigint> =>
  createChainClient(stack).readContract({
    address: stack.deployment.token,
    abi: TOKENS,
    functionName: "balanceOf",
    args: [wallet],
  });

/** Sends a player's prepared call, if there is one. */
export const sendOptionalCall = async (player: Player, call: Call | null): Promise<void> => {
  if (call !== null) await sendCall(player, call);
};

export const signListing = (player: Player, { body }: ApiResponse): Promise<Hex> =>
  player.wallet.signTypedData!(body.typedData);

/** Actions of sellers through the routes, and the public lists. */
export function createMarketActions(api: RouteTester) {
  const withToken = async (player: Player, body: object) => ({ token: await player.getAccessToken(), body });
  const prepareListing = async (player: Player, body: object): Promise<ApiResponse> =>
    api.expectSuccess(
      "market.listingPayload",
      await withToken(player, { collection: "identity", price: PRICE.toString(), ...body }),
    );
  const setVisibility = async (player: Player, body: object) =>
    api.expectSuccess("market.visibilitySet", await withToken(player, { visible: true, ...body }));
  const expectSetVisibilityError = async (player: Player, code: ErrorCode, body: object) =>
    api.expectError("market.visibilitySet", code, await withToken(player, { visible: true, ...body }));

  async function publishListing(player: Player, body: object) {
    const prepared = await prepareListing(player, body);
    const { listingId, order, approval } = prepared.body;
    await sendOptionalCall(player, approval);
    const signature = await signListing(player, prepared);
    await setVisibility(player, { listingId, signature });
    return { listingId, order, signature };
  }
  const publishIdentity = async (stack: TestStack, body: object = {}) => {
    const seller = await createAgent(stack);
    const tokenId = await getAgentId(seller);
    return { seller, tokenId, ...(await publishListing(seller, { tokenId, ...body })) };
  };
  const getListings = async (query = ""): Promise<ApiResponse["body"]> =>
    (await api.expectSuccess("market.listings", { query: `?limit=100${query}` })).body;
  const getListingIds = async (query = ""): Promise<string[]> =>
    (await getListings(query)).items.map(({ listingId }: { listingId: string }) => listingId);
  const getOwnListing = async (player: Player, listingId: Hex) => {
    const { body } = await api.expectSuccess("market.visibilityMy", await withToken(player, {}));
    return body.items.find((entry: { listingId: Hex }) => entry.listingId === listingId);
  };
  const getReasons = async (player: Player, listingId: Hex) => (await getOwnListing(player, listingId)).reasons;
  return {
    withToken,
    prepareListing,
    setVisibility,
    expectSetVisibilityError,
    publishListing,
    publishIdentity,
    getListings,
    getListingIds,
    getOwnListing,
    getReasons,
  };
}

/** The Seaport package's client, and a function that closes its connection. */
export function openSeaport(stack: TestStack, privateKey: Hex) {
  const provider = new JsonRpcProvider(stack.chain.rpcUrl, undefined, { cacheTimeout: -1 });
  // The package has ethers' types in CommonJS form, which TypeScript treats as different classes.
  const signer = new Wallet(privateKey, provider) as never;
  const seaport = new Seaport(signer, { overrides: { contractAddress: stack.deployment.market! } });
  return { seaport, close: () => provider.destroy() };
}
