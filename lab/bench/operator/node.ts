/** The chain of one measurement: a fresh anvil, a contract that counts its calls, and the check that all were mined. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Hex, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startAnvil } from "../../../test/deploy/testnet.ts";
import { readProcessCpuUs } from "../compare/cpu.ts";
import { findMissing } from "../compare/work.ts";

/** Adds 1 to its first storage slot. */
const COUNTER_CODE: Hex = "0x60005460010160005500";
const COUNTER: Hex = "0x00000000000000000000000000000000000c0de1";
/** All transactions of a round fit into one block. */
const BLOCK_GAS = 1_000_000_000;
/** If no transaction is mined for this long, no more are expected. */
const QUIET_MS = 15_000;
/**
 * When many transactions arrive out of order, anvil with a block for each transaction sometimes keeps the next one in
 * its queue forever, and also rejects it as known.
 */
const STALLED_MS = 1000;

export interface NodeOptions {
  /** Absent for a block per transaction. */
  readonly blockSeconds?: number;
  /** The round trip to the node in milliseconds. */
  readonly distanceMs: number;
}

async function startDistance(port: string, distanceMs: number): Promise<{ child: ChildProcess; rpcUrl: string }> {
  const script = fileURLToPath(new URL("./distance.ts", import.meta.url));
  const child = fork(script, [port, String(distanceMs)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [ownPort] = await once(child, "message");
  return { child, rpcUrl: `http://127.0.0.1:${ownPort}` };
}

export async function startNode({ blockSeconds, distanceMs }: NodeOptions) {
  const anvil = await startAnvil({
    createX: false,
    blockGas: BLOCK_GAS,
    ...(blockSeconds === undefined ? {} : { blockSeconds }),
  });
  const distance = distanceMs === 0 ? null : await startDistance(new URL(anvil.rpcUrl).port, distanceMs);
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  await anvil.client.setBalance({ address: account.address, value: parseEther("1000") });
  await anvil.client.setCode({ address: COUNTER, bytecode: COUNTER_CODE });
  const readMined = () => anvil.client.getTransactionCount({ address: account.address });

  /** Counts the successful receipts of the given hashes in the chain's blocks. */
  const countReceipts = async (hashes: ReadonlySet<string>): Promise<number> => {
    const head = Number(await anvil.client.getBlockNumber());
    const found = new Set<string>();
    for (let number = 1; number <= head; number++) {
      const receipts = (await anvil.client.request({
        method: "eth_getBlockReceipts",
        params: [`0x${number.toString(16)}`],
      } as never)) as readonly { readonly transactionHash: string; readonly status: string }[];
      for (const { transactionHash, status } of receipts)
        if (status === "0x1" && hashes.has(transactionHash)) found.add(transactionHash);
    }
    return found.size;
  };

  return {
    rpcUrl: distance?.rpcUrl ?? anvil.rpcUrl,
    chainId: anvil.chainId,
    privateKey,
    account,
    counter: COUNTER,
    /** CPU time of the node so far, in microseconds. */
    readCpuUs: (): number => readProcessCpuUs(anvil.processId!),
    /** Waits until this many transactions are mined. If they stall, empties the queue and has the rest sent again. */
    async waitForMined(count: number, resend: ((mined: number) => Promise<unknown>) | null): Promise<void> {
      let last = -1;
      let changedMs = performance.now();
      let resentMs = 0;
      for (let mined = await readMined(); mined < count; mined = await readMined()) {
        if (mined !== last) [last, changedMs, resentMs] = [mined, performance.now(), 0];
        const quietMs = performance.now() - changedMs;
        if (quietMs > QUIET_MS) return;
        if (resend !== null && quietMs > resentMs + STALLED_MS) {
          resentMs = quietMs;
          await anvil.client.request({ method: "anvil_dropAllTransactions" } as never);
          await resend(mined);
        }
        await sleep(20);
      }
    },
    /** The missing work, or null: each hash must have a receipt, and the contract must count as many calls. */
    async findMissing(hashes: readonly string[], count: number): Promise<string | null> {
      const slot = await anvil.client.getStorageAt({ address: COUNTER, slot: "0x0" });
      return findMissing([
        { what: "receipts", done: await countReceipts(new Set(hashes)), expected: count },
        { what: "calls that the contract has counted", done: Number(slot ?? 0), expected: count },
      ]);
    },
    async close(): Promise<void> {
      distance?.child.kill("SIGKILL");
      await anvil.close();
    },
  };
}
export type BenchNode = Awaited<ReturnType<typeof startNode>>;
