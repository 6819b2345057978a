/** What `npm run lab -- bench operator` compares: each sends calls from one wallet and returns their hashes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, createWalletClient, type Hex, http, keccak256 } from "viem";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { createOperatorAccount } from "../../../backend/adapters/chain/transaction-manager/account.ts";
import { LARGE_BATCH_SIZE } from "../../../backend/adapters/chain/transaction-manager/batch-size.ts";
import { startTransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { createLog } from "../../../backend/adapters/system/log.ts";
import type { BenchNode } from "./node.ts";

export interface Submission {
  readonly name: string;
  /** Fewer transactions than the other sides, because each takes a block. */
  readonly countMax?: number;
  /**
   * What may be done before the clock runs, for `count` calls. `send` sends those from `from` to below `to`, and
   * resolves when the node has them all.
   */
  prepare(
    node: BenchNode,
    count: number,
  ): Promise<{
    readonly send: (from: number, to: number) => Promise<readonly string[]>;
    /** Sends the calls again that the node has lost; absent if the side does so itself. */
    readonly resend?: (from: number, to: number) => Promise<unknown>;
    readonly close?: () => Promise<void>;
  }>;
}

export const PRESIGNED = "presigned, one a request";
const AWAIT_EACH = "viem, each receipt awaited";

const POLL_MS = 1000;
const STUCK_MS = 60_000;
const FEES = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
const GAS = 70_000n;
/** Requests of a presigned side that are under way at the same time. */
const CONCURRENT_REQUESTS = 64;

const arcade: Submission = {
  name: "Agent Arcade",
  async prepare(node) {
    const folder = await mkdtemp(join(tmpdir(), "arcade-bench-operator-"));
    const store = await openStore({ databaseUrl: `sqlite:${join(folder, "arcade.sqlite")}` });
    const connection = { rpcUrl: node.rpcUrl, chainId: node.chainId, clock: systemClock };
    const manager = startTransactionManager({
      rpc: createRpc(connection),
      largeBatchRpc: createRpc({ ...connection, batchSize: LARGE_BATCH_SIZE }),
      store: store.transactions,
      clock: systemClock,
      log: createLog("error"),
      privateKey: node.privateKey,
      readFinalBlock: async () => -1,
      pollMs: POLL_MS,
      stuckMs: STUCK_MS,
      feeCap: null,
    });
    return {
      async send(from, to) {
        const requests = Array.from({ length: to - from }, (_, index) => ({
          kind: "bench",
          key: String(from + index),
          to: node.counter,
          data: "0x00" as Hex,
        }));
        const sent = await Promise.all(requests.map((request) => manager.submit(request)));
        return sent.map(({ txHash }) => txHash!);
      },
      async close() {
        await manager.close();
        await store.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

async function signAll(node: BenchNode, count: number): Promise<readonly Hex[]> {
  const account = createOperatorAccount(node.privateKey);
  const call = { to: node.counter, data: "0x00" as Hex, value: 0n, gas: GAS, chainId: node.chainId, ...FEES };
  return await Promise.all(
    Array.from({ length: count }, (_, nonce) => account.signTransaction({ ...call, nonce, type: "eip1559" })),
  );
}

/** Sends raw transactions that were signed before, one in each request. */
const presigned: Submission = {
  name: PRESIGNED,
  async prepare(node, count) {
    const raws = await signAll(node, count);
    const post = async (raw: Hex): Promise<void> => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] });
      await (await fetch(node.rpcUrl, { method: "POST", headers, body })).json();
    };
    const send = async (from: number, to: number): Promise<readonly string[]> => {
      let next = from;
      const work = async (): Promise<void> => {
        while (next < to) await post(raws[next++]!);
      };
      await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work));
      return raws.slice(from, to).map((raw) => keccak256(raw));
    };
    return { send, resend: send };
  },
};

const awaitEach: Submission = {
  name: AWAIT_EACH,
  countMax: 20,
  async prepare(node) {
    const transport = http(node.rpcUrl);
    const reader = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
    const wallet = createWalletClient({ account: node.account, transport });
    return {
      async send(from, to) {
        const hashes: string[] = [];
        for (let index = from; index < to; index++) {
          const hash = await wallet.sendTransaction({ to: node.counter, data: "0x00", chain: null });
          await reader.waitForTransactionReceipt({ hash });
          hashes.push(hash);
        }
        return hashes;
      },
    };
  },
};

/** Claims to have done the work but does nothing. The check must detect it. */
export const idle: Submission = {
  name: "idle",
  prepare: async () => ({
    send: async (from, to) =>
      Array.from({ length: to - from }, (_, index) => keccak256(`0x${(from + index).toString(16).padStart(8, "0")}`)),
  }),
};

export const arcadeAndPeers: readonly [Submission, ...Submission[]] = [arcade, presigned, awaitEach];
