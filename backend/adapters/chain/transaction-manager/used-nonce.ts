import { type Hex, isAddressEqual } from "viem";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import type { SignedVersion } from "./fees.ts";
import type { Lookup } from "./locator.ts";
import type { OperatorWallet, UsedNonce } from "./operator-wallet.ts";

const isCallOf = ({ to, data, value }: UsedNonce, row: TransactionRow): boolean =>
  to !== null && isAddressEqual(to, row.to) && data === row.data && value === row.value;

/** The bytes of a version with raised fees are unknown, but its call is known. */
const toVersion = (row: TransactionRow, txHash: Hex): SignedVersion | null =>
  txHash === row.txHash ? null : { ...row, raw: row.cancelledRaw ?? row.raw, txHash };

/** Whether a transaction in a block succeeded; null if the node lacks the receipt. */
async function readStatus(wallet: OperatorWallet, txHash: Hex, block: number): Promise<boolean | null> {
  // Look up by block: a node without a transaction index finds none by hash.
  const mined = (await wallet.locateInBlocks([block]))?.get(txHash);
  if (mined !== undefined) return mined.ok;
  const [found] = await wallet.locate([txHash]);
  return typeof found === "object" && found !== null ? found.ok : null;
}

/**
 * Whether the transaction that used a row's nonce is the row's call. Does not search by hash: a node may lack that
 * index, and the hashes of another operator's raised versions are unknown. `head`: the latest block. `at` is null if
 * another call used the nonce, or if the node lacks the states that far back.
 */
export async function findCallByNonce(wallet: OperatorWallet, row: TransactionRow, head: number): Promise<Lookup> {
  const used = await wallet.findByNonce(row, head);
  if (used === null || !isCallOf(used, row)) return { version: null, at: null };
  const ok = await readStatus(wallet, used.txHash, used.block);
  if (ok === null) return { version: null, at: "unknown" };
  return { version: toVersion(row, used.txHash), at: { block: used.block, ok } };
}
