/** Selling a token: the market's approval, the signed order, and its publication. */
import { parseEther } from "viem";
import type { TypedData } from "../../client/api.ts";
import { sendSignedCall } from "../../client/wallet.ts";
import { NATIVE_COIN } from "../../domain/market.ts";
import { createOrderTypedData } from "../../domain/seaport.ts";
import { ACCOUNT_LABELS } from "../labels/account.ts";
import { checkOrderToSign } from "../market/check-order.ts";
import type { Account } from "../wallet/account.ts";
import type { OwnedToken } from "./owned-tokens.ts";

/** Wei of a price such as `0.05`. Throws for an invalid price or 0. */
export function parsePrice(text: string): bigint {
  const isDecimal = /^\d{1,9}(\.\d{1,18})?$/.test(text.trim());
  const wei = isDecimal ? parseEther(text.trim()) : 0n;
  if (wei === 0n) throw new Error(ACCOUNT_LABELS.invalidPrice);
  return wei;
}

/** Lists a token for ether. Throws the errors of the service, the chain and the wallet. */
export async function listForSale(
  account: Account,
  { collection, contract, tokenId }: OwnedToken,
  price: bigint,
): Promise<void> {
  const { client, wallet, chain, address } = account;
  if (chain.market === null) throw new Error("There is no market on this chain.");
  const { listingId, order, approval } = await client.market.listingPayload({
    collection,
    tokenId,
    price: price.toString(),
  });
  const sale = { seller: address, contract, tokenId: BigInt(tokenId), price, currency: NATIVE_COIN };
  checkOrderToSign(order, sale, Date.now() / 1000);
  if (approval !== null)
    await sendSignedCall(
      wallet,
      { call: approval },
      {
        chainId: chain.chainId,
        to: contract,
        functionName: "setApprovalForAll",
        args: [chain.market, true],
      },
    );
  // Build the payload here, so that the service cannot get another order signed.
  const typedData = createOrderTypedData(chain.chainId, chain.market, order);
  const signature = await wallet.signTypedData!(typedData as unknown as TypedData);
  await client.market.visibilitySet({ listingId, visible: true, signature });
}
