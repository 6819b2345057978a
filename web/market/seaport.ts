/** Buys a listing: Seaport fills the order, paid in ether or in the token. */
import { type Abi, encodeFunctionData, erc20Abi } from "viem";
import type { Address, Hex, Listing } from "../../client/api.ts";
import { ArcadeChainError } from "../../client/errors.ts";
import { NATIVE_COIN } from "../../domain/market.ts";
import { FULFILL_ABI } from "../../domain/seaport.ts";
import type { Account } from "../wallet/account.ts";
import type { SiteChain } from "../wallet/chain.ts";
import { confirmContractCall } from "../wallet/confirm.ts";
import { checkCurrency, checkOrder } from "./check-order.ts";

const NO_CONDUIT: Hex = `0x${"0".repeat(64)}`;

type Item = Listing["order"]["offer"][number];

const toItem = ({ itemType, token, identifierOrCriteria, startAmount, endAmount }: Item) => ({
  itemType,
  token,
  identifierOrCriteria: BigInt(identifierOrCriteria),
  startAmount: BigInt(startAmount),
  endAmount: BigInt(endAmount),
});

/** The argument of `fulfillOrder`. Throws if the listing was never signed. */
function toSeaportOrder({ order, signature }: Listing) {
  if (signature === null) throw new Error("the listing has no signature");
  const { counter: _, offer, consideration, startTime, endTime, salt, ...rest } = order;
  const parameters = {
    ...rest,
    offer: offer.map(toItem),
    consideration: consideration.map((item) => ({ ...toItem(item), recipient: item.recipient })),
    startTime: BigInt(startTime),
    endTime: BigInt(endTime),
    salt: BigInt(salt),
    totalOriginalConsiderationItems: BigInt(consideration.length),
  };
  return { parameters, signature };
}

interface ContractCall {
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly value: bigint;
}

/** Shows the call, sends it, and waits for its block. Throws `ArcadeChainError` if it is reverted. */
async function send({ wallet, walletClient, publicClient, chain, address }: Account, call: ContractCall): Promise<Hex> {
  await confirmContractCall({ chain, publicClient }, address, call);
  const { to, abi, functionName, args, value } = call;
  const data = encodeFunctionData({ abi, functionName, args });
  const sender = walletClient.account ?? address;
  const hash = await walletClient.sendTransaction({ account: sender, chain: chain.viemChain, to, data, value });
  const { status, txHash } = await wallet.waitForReceipt(hash);
  if (status !== "success")
    throw new ArcadeChainError("REVERTED", `${functionName} was reverted (${txHash}).`, { txHash });
  return txHash;
}

/** The collection's contract as the page shows it, not the one in the order. */
function getContract({ contracts }: SiteChain, { collection }: Listing): Address {
  const contract = collection === "identity" ? contracts.identity : contracts.nft[collection];
  if (contract === undefined) throw new Error(`There is no collection "${collection}" here.`);
  return contract;
}

/** Buys a listing and returns the transaction. For a price in the token, approves the market's allowance first. */
export async function buyListing(account: Account, listing: Listing): Promise<Hex> {
  const { chain, publicClient, address } = account;
  if (chain.market === null) throw new Error("There is no market on this chain.");
  const price = BigInt(listing.price);
  const { seller, tokenId, currency, order } = listing;
  checkCurrency(currency, chain.token);
  checkOrder(order, { seller, contract: getContract(chain, listing), tokenId: BigInt(tokenId), price, currency });
  const isNative = currency === NATIVE_COIN;
  if (!isNative) {
    const allowance = await publicClient.readContract({
      address: currency,
      abi: erc20Abi,
      functionName: "allowance",
      args: [address, chain.market],
    });
    if (allowance < price)
      await send(account, {
        to: currency,
        abi: erc20Abi as Abi,
        functionName: "approve",
        args: [chain.market, price],
        value: 0n,
      });
  }
  return send(account, {
    to: chain.market,
    abi: FULFILL_ABI,
    functionName: "fulfillOrder",
    args: [toSeaportOrder(listing), NO_CONDUIT],
    value: isNative ? price : 0n,
  });
}
