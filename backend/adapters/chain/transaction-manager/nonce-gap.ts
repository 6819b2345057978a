import type { Log } from "../../../ports/system.ts";
import type { OperatorAccount } from "./account.ts";
import { TRANSFER_GAS } from "./fees.ts";
import type { OperatorWallet } from "./operator-wallet.ts";

/** The most missing nonces that one poll fills. */
const GAP_FILL_MAX = 100;

interface NonceGapOptions {
  readonly account: OperatorAccount;
  readonly wallet: OperatorWallet;
  readonly log: Log;
}

/** Unused nonces below the first waiting transaction would delay it for ever: empty transfers use them. */
export async function fillNonceGap(
  { account, wallet, log }: NonceGapOptions,
  firstOpen: number,
  minedCount: number,
): Promise<void> {
  if (firstOpen <= minedCount || (await wallet.getPendingCount()) > minedCount) return;
  const last = Math.min(firstOpen, minedCount + GAP_FILL_MAX);
  log.warn({ from: minedCount, to: last - 1 }, "filling a gap in the operator's nonces");
  const fees = await wallet.getFees();
  for (let nonce = minedCount; nonce < last; nonce++) {
    const empty = { to: account.address, data: "0x" as const };
    const { raw } = await wallet.sign(empty, nonce, { ...fees, gas: TRANSFER_GAS });
    await wallet.send([raw]);
  }
}
