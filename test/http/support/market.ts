/** Sellers and buyers on the real Seaport. */
import { Seaport } from "@opensea/seaport-js";
import { SeaportABI } from "@opensea/seaport-js/lib/abi/Seaport.js";
import { JsonRpcProvider, Wallet } from "ethers";
import { type Abi, createPublicClient, encodeFunctionData, http, parseAbi } from "viem";
import { hardhat } from "viem/chains";
import type { ErrorCode } from "../../../backend/domain/errors.ts";
import type { Order } from "../../../backend/domain/market.ts";
import type { Call, Hex } from "../../../client/index.ts";
import { makeAgent, type Player } from "../../helpers/player.ts";
import type { Answer, Suite } from "../../helpers/suite.ts";
import { sendCall } from "./on-chain.ts";
import type { RouteWatch } from "./watch-routes.ts";

export const ETHER = 10n ** 18n;
/** What listings cost unless told. */
export const PRICE = ETHER / 100n;
export const ZERO_HASH = `0x${"0".repeat(64)}` as const;

const TOKENS = parseAbi([
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function balanceOf(address account) view returns (uint256)",
  "function approve(address spender, uint256 value)",
  "function setApprovalForAll(address operator, bool approved)",
]);

export const clientOf = (suite: Suite) =>
  createPublicClient({ chain: hardhat, transport: http(suite.chain.rpcUrl), cacheTime: 0 });

export interface SignedOrder {
  readonly order: Order;
  readonly signature: Hex;
}

/** The order as Seaport's calls want it. */
export const parametersOf = ({ counter: _, ...order }: Order) => ({
  ...order,
  totalOriginalConsiderationItems: order.consideration.length,
});

const seaportData = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: SeaportABI as Abi, functionName, args });

/** A plain call of `fulfillOrder`, with the price as value where it is the chain's coin. */
export async function buy(
  suite: Suite,
  buyer: Player,
  { order, signature }: SignedOrder,
): Promise<"success" | "reverted"> {
  const value = order.consideration
    .filter(({ itemType }) => itemType === 0)
    .reduce((sum, { startAmount }) => sum + BigInt(startAmount), 0n);
  const data = seaportData("fulfillOrder", [{ parameters: parametersOf(order), signature }, ZERO_HASH]);
  const call = { chainId: 31337, to: suite.deployment.market!, value: value.toString(), data };
  try {
    const { txHash } = await buyer.wallet.sendCall(call as unknown as Call);
    return (await buyer.wallet.waitForReceipt(txHash)).status;
  } catch {
    return "reverted";
  }
}

export const callSeaport = (
  suite: Suite,
  player: Player,
  functionName: string,
  args: readonly unknown[],
): Promise<Hex> => sendCall(player, { to: suite.deployment.market!, data: seaportData(functionName, args) });

export const callToken = (
  player: Player,
  token: Hex,
  functionName: "approve" | "setApprovalForAll",
  args: readonly unknown[],
): Promise<Hex> =>
  sendCall(player, { to: token, data: encodeFunctionData({ abi: TOKENS as Abi, functionName, args }) });

export const ownerOf = (suite: Suite, contract: Hex, tokenId: string): Promise<Hex> =>
  clientOf(suite).readContract({ address: contract, abi: TOKENS, functionName: "ownerOf", args: [BigInt(tokenId)] });

export const tokensOf = (suite: Suite, wallet: Hex): Promise<bigint> =>
  clientOf(suite).readContract({
    address: suite.deployment.token,
    abi: TOKENS,
    functionName: "balanceOf",
    args: [wallet],
  });

/** Sends a player's prepared call, where there is one. */
export const sendIfAny = async (player: Player, call: Call | null): Promise<void> => {
  if (call !== null) await sendCall(player, call);
};

export const signListing = (player: Player, { body }: Answer): Promise<Hex> =>
  player.wallet.signTypedData!(body.typedData);

export const agentIdOf = async (player: Player): Promise<string> =>
  (await player.client.identity.ownershipStatus({ walletAddress: player.address })).agentId!;

/** What sellers do through the routes, and what everybody sees of it. */
export function marketOf(api: RouteWatch) {
  const with_ = async (player: Player, body: object) => ({ token: await player.token(), body });
  const prepare = async (player: Player, body: object): Promise<Answer> =>
    api.succeed(
      "market.listingPayload",
      await with_(player, { collection: "identity", price: PRICE.toString(), ...body }),
    );
  const setVisible = async (player: Player, body: object) =>
    api.succeed("market.visibilitySet", await with_(player, { visible: true, ...body }));
  const refuseSet = async (player: Player, code: ErrorCode, body: object) =>
    api.refuse("market.visibilitySet", code, await with_(player, { visible: true, ...body }));

  /** Prepares, approves, signs and publishes. */
  async function publish(player: Player, body: object) {
    const prepared = await prepare(player, body);
    const { listingId, order, approval } = prepared.body;
    await sendIfAny(player, approval);
    const signature = await signListing(player, prepared);
    await setVisible(player, { listingId, signature });
    return { listingId, order, signature };
  }
  const publishIdentity = async (suite: Suite, body: object = {}) => {
    const seller = await makeAgent(suite);
    const tokenId = await agentIdOf(seller);
    return { seller, tokenId, ...(await publish(seller, { tokenId, ...body })) };
  };
  const listed = async (query = ""): Promise<Answer["body"]> =>
    (await api.succeed("market.listings", { query: `?limit=100${query}` })).body;
  const idsListed = async (query = ""): Promise<string[]> =>
    (await listed(query)).listings.map(({ listingId }: { listingId: string }) => listingId);
  const ownListing = async (player: Player, listingId: Hex) => {
    const { body } = await api.succeed("market.visibilityMy", await with_(player, {}));
    return body.listings.find((entry: { listingId: Hex }) => entry.listingId === listingId);
  };
  const reasonsOf = async (player: Player, listingId: Hex) => (await ownListing(player, listingId)).reasons;
  return { with_, prepare, setVisible, refuseSet, publish, publishIdentity, listed, idsListed, ownListing, reasonsOf };
}

/** The package's own client of Seaport, and what lets go of its connection. */
export function openSeaport(suite: Suite, privateKey: Hex) {
  const provider = new JsonRpcProvider(suite.chain.rpcUrl, undefined, { cacheTimeout: -1 });
  // The package brings ethers' types in their CommonJS form, which TypeScript takes for other classes.
  const signer = new Wallet(privateKey, provider) as never;
  const seaport = new Seaport(signer, { overrides: { contractAddress: suite.deployment.market! } });
  return { seaport, close: () => provider.destroy() };
}
