import type { Hex, PublicClient } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import type { Deployment, FreshHead, Head } from "../../../ports/chain.ts";
import type { Receipt, ReceiptEvent } from "../../../ports/receipts.ts";
import { decodeLog } from "../events.ts";
import type { Rpc } from "../rpc.ts";

/** If a machine's clock is further ahead, the contracts reject its deadlines as too far (one day). */
const CLOCK_LEAD_MAX_SECONDS = 12 * 3600;

export async function readHead(client: PublicClient): Promise<Head> {
  const { number, hash, timestamp } = await client.getBlock({ blockTag: "latest" });
  return { number: Number(number), hash, timestamp: Number(timestamp) };
}

/** Blocks and receipts. */
export const createBlockReads = (rpc: Rpc, deployment: Deployment) => ({
  getHead: () => rpc.withDeadline(readHead),

  findBlockSince: async (timestamp: number, last: number) => {
    const read = (number: number) => rpc.withDeadline((client) => client.getBlock({ blockNumber: BigInt(number) }));
    const isSince = async (number: number): Promise<boolean> => (await read(number)).timestamp >= timestamp;
    let [low, high] = [deployment.startBlock, last];
    if (high < low || !(await isSince(high))) return null;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (await isSince(middle)) high = middle;
      else low = middle + 1;
    }
    return { number: low, hash: (await read(low)).hash };
  },

  toFreshHead: async (head: Head): Promise<FreshHead> => {
    // A chain that mines on demand creates no blocks while idle; only its pending block has the current time.
    const pending = isLocalChain(rpc.chainId)
      ? await rpc.withDeadline((client) => client.getBlock({ blockTag: "pending" }))
      : null;
    const nextTimestamp = pending === null ? head.timestamp : Number(pending.timestamp);
    const presentTime = Math.min(rpc.getUnixSeconds(), nextTimestamp + CLOCK_LEAD_MAX_SECONDS);
    return { ...head, nextTimestamp: Math.max(nextTimestamp, presentTime) };
  },

  getReceipt: (txHash: Hex): Promise<Receipt | null> => {
    const read = async (client: PublicClient): Promise<Receipt | null> => {
      const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [txHash] });
      if (receipt === null || receipt.blockNumber === null) return null;
      const events = receipt.logs
        .map((log) => decodeLog(deployment, log))
        .filter((event): event is ReceiptEvent => event !== null);
      const status = receipt.status === "0x1" ? "success" : "reverted";
      return { txHash, status, block: Number(receipt.blockNumber), blockHash: receipt.blockHash, events };
    };
    // Callers can name any transaction of the chain: a node that fails on one is not necessarily unhealthy.
    return rpc.withDeadline(read, { isUntrusted: true });
  },
});
