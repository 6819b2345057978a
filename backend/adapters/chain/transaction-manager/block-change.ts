import { REPLACED } from "../../../../domain/operator-transactions.ts";
import type { TransactionChange, TransactionRow } from "../../../ports/store/chain.ts";
import { isCall } from "./fees.ts";
import type { MinedLookup } from "./locator.ts";
import type { OperatorWallet } from "./operator-wallet.ts";

export type BlockChange = TransactionChange & { readonly status: "included" | "failed" };

/** The row's change for the block of its transaction; null if the row has that state already. */
export async function findBlockChange(
  wallet: OperatorWallet,
  row: TransactionRow,
  { version, at: { block, ok } }: MinedLookup,
): Promise<BlockChange | null> {
  // safeguard: recognize-cancelled-call
  const isReplaced = row.cancelledRaw !== null && !isCall(version?.raw ?? row.raw, row);
  const status = ok && !isReplaced ? "included" : "failed";
  if (row.status === status && row.block === block) return null;
  const hash = version === null ? {} : { raw: version.raw, txHash: version.txHash };
  const reason = ok ? null : await wallet.findRevert(row, block);
  return { status, block, lastError: isReplaced ? REPLACED : reason, ...hash };
}
