import { ArcadeError } from "../domain/errors.ts";
import type { ChainReader, Hex, Receipt } from "../ports.ts";

/** A successful receipt. Throws `TX_NOT_FOUND` (try again) or `TX_FAILED`. */
export async function readOwnReceipt(chain: Pick<ChainReader, "receipt">, txHash: Hex): Promise<Receipt> {
  const receipt = await chain.receipt(txHash);
  if (receipt === null)
    throw new ArcadeError("TX_NOT_FOUND", `Transaction ${txHash} is in no block yet; try again when it is.`, {
      txHash,
    });
  if (receipt.status === "reverted")
    throw new ArcadeError(
      "TX_FAILED",
      `Transaction ${txHash} was reverted in block ${receipt.block}; prepare the call again.`,
      { txHash, block: receipt.block },
    );
  return receipt;
}
