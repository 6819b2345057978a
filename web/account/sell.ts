/** Selling a token: the market's approval, the signed order, and its publication. */
import { parseEther } from "viem";
import { ArcadeChainError } from "../../client/errors.ts";
import { sendSignedCall } from "../../client/wallet.ts";
import { ACCOUNT_LABELS } from "../labels/account.ts";
import type { Account } from "../wallet/account.ts";
import type { OwnedToken } from "./owned-tokens.ts";

/** Wei of a price such as `0.05`. Throws where it is none, or 0. */
export function parsePrice(text: string): bigint {
  const isDecimal = /^\d{1,9}(\.\d{1,18})?$/.test(text.trim());
  const wei = isDecimal ? parseEther(text.trim()) : 0n;
  if (wei === 0n) throw new Error(ACCOUNT_LABELS.invalidPrice);
  return wei;
}

/** Lists a token for ether. Throws what the service, the chain and the wallet say. */
export async function listForSale(
  account: Account,
  { collection, contract, tokenId }: OwnedToken,
  price: bigint,
): Promise<void> {
  const { client, wallet, chain } = account;
  const { listingId, order, typedData, approval } = await client.market.listingPayload({
    collection,
    tokenId,
    price: price.toString(),
  });
  const [item] = order.offer;
  if (item?.token.toLowerCase() !== contract.toLowerCase() || item.identifierOrCriteria !== tokenId)
    throw new ArcadeChainError("CALL_REFUSED", `The order sells another token than #${tokenId}; it was not signed.`);
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
  const signature = await wallet.signTypedData!(typedData);
  await client.market.visibilitySet({ listingId, visible: true, signature });
}
